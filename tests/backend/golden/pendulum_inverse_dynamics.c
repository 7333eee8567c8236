#include <math.h>

/*
 * q: q, shape [1]
 * qd: qd, shape [1]
 * qdd: qdd, shape [1]
 * inverse_dynamics_out: inverse_dynamics, shape [1]
 */
void inverse_dynamics(const double q[1], const double qd[1], const double qdd[1], double inverse_dynamics_out[1]);

void inverse_dynamics(const double q[1], const double qd[1], const double qdd[1], double inverse_dynamics_out[1]) {
    (void)qd;
    const double v0 = q[0];
    const double v2 = sin(v0);
    const double v3 = 9.81 * v2;
    const double v1 = qdd[0];
    const double v4 = v1 + v3;
    inverse_dynamics_out[0] = v4;
}
