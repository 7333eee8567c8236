#include <math.h>

/*
 * x: x, shape []
 * y: y, shape []
 * until: until, shape []
 * seen: seen, shape [4]
 */
void settled(double x, double y[1], double until[1], double seen[4]);

static void settled_0_step(const double y[1], const double captured[1], double y_out[1], double until[1], double seen[1]) {
    const double v0 = y[0];
    const double v1 = sin(v0);
    const double v2 = captured[0];
    const double v3 = v1 + v2;
    const int v4 = v0 < 0.0;
    const double v5 = -v0;
    const double v6 = v4 ? v5 : v0;
    const int v7 = v6 < 0.2;
    const double v8 = v0 * v0;
    const int v9 = v3 <= v3;
    const double v10 = v9 ? 0.0 : 2.0;
    const double v11 = v7 ? 1.0 : v10;
    y_out[0] = v3;
    until[0] = v11;
    seen[0] = v8;
}

static void settled_0(const double y[1], const double captured[1], double y_out[1], double until[1], double seen[4]) {
    double now_y[1];
    double new_y[1];
    double new_until[1];
    double new_seen[1];
    int k = 0;
    double status = 0.0;
    now_y[0] = y[0];
    for (int i = 0; i < 4; i++) seen[i] = 0.0;
    while ((k < 4) && ((status <= 0.0) && (0.0 <= status))) {
        settled_0_step(now_y, captured, new_y, new_until, new_seen);
        now_y[0] = new_y[0];
        seen[k] = new_seen[0];
        status = new_until[0];
        k = k + 1;
    }
    y_out[0] = now_y[0];
    until[0] = status;
}

void settled(double x, double y[1], double until[1], double seen[4]) {
    const double v0 = x;
    const double v1 = 0.1 * v0;
    double in2_captured[1];
    in2_captured[0] = v1;
    settled_0(&x, in2_captured, y, until, seen);
}
