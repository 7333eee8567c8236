#include <math.h>

/*
 * q: q, shape [2]
 * qd: qd, shape [2]
 * qdd: qdd, shape [2]
 * inverse_dynamics_out: inverse_dynamics, shape [2]
 */
void inverse_dynamics(const double q[2], const double qd[2], const double qdd[2], double inverse_dynamics_out[2]);

void inverse_dynamics(const double q[2], const double qd[2], const double qdd[2], double inverse_dynamics_out[2]) {
    const double v0 = q[0];
    const double v6 = cos(v0);
    const double v7 = sin(v0);
    const double v1 = q[1];
    const double v8 = cos(v1);
    const double v9 = sin(v1);
    const double v10 = 9.81 * v7;
    const double v11 = 9.81 * v6;
    const double v2 = qd[0];
    const double v12 = v2 * v2;
    const double v4 = qdd[0];
    const double v13 = 2.5 * v4;
    const double v14 = 0.0025 * v4;
    const double v15 = v13 + v14;
    const double v16 = 29.43 * v6;
    const double v17 = v15 + v16;
    const double v3 = qd[1];
    const double v18 = v2 + v3;
    const double v5 = qdd[1];
    const double v19 = v4 + v5;
    const double v20 = v10 - v12;
    const double v21 = v4 + v11;
    const double v22 = v9 * v20;
    const double v23 = v8 * v21;
    const double v24 = v23 - v22;
    const double v25 = v18 * v18;
    const double v26 = 0.32 * v19;
    const double v27 = 0.0008 * v19;
    const double v28 = v26 + v27;
    const double v29 = 0.6 * v24;
    const double v30 = v28 + v29;
    const double v31 = (-0.6) * v25;
    const double v32 = 0.6 * v19;
    const double v33 = v9 * v31;
    const double v34 = v8 * v32;
    const double v35 = v33 + v34;
    const double v36 = v30 + v35;
    const double v37 = v17 + v36;
    inverse_dynamics_out[0] = v37;
    inverse_dynamics_out[1] = v30;
}
