#include <math.h>

/*
 * q: q, shape [2]
 * mass_matrix_out: mass_matrix, shape [2, 2]
 */
void mass_matrix(const float q[2], float mass_matrix_out[4]);

void mass_matrix(const float q[2], float mass_matrix_out[4]) {
    const float v0 = q[1];
    const float v1 = cosf(v0);
    const float v2 = sinf(v0);
    const float v3 = 0.6f * v1;
    const float v4 = 0.32f * v1;
    const float v5 = (-0.0008f) * v2;
    const float v6 = 0.32f * v2;
    const float v7 = 0.0008f * v1;
    const float v8 = v1 * v4;
    const float v9 = v2 * v5;
    const float v10 = v8 - v9;
    const float v11 = v2 * v6;
    const float v12 = v1 * v7;
    const float v13 = v11 + v12;
    const float v14 = 1.2f * v1;
    const float v15 = v10 + v14;
    const float v16 = 2.5f + v15;
    const float v17 = 0.0025f + v13;
    const float v18 = v16 + v17;
    const float v19 = 0.3208f + v3;
    mass_matrix_out[0] = v18;
    mass_matrix_out[1] = v19;
    mass_matrix_out[2] = v19;
    mass_matrix_out[3] = 0.3208f;
}
