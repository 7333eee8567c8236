#include <math.h>

/*
 * q: q, shape [4]
 * qd: qd, shape [4]
 * qdd: qdd, shape [4]
 * inverse_dynamics_out: inverse_dynamics, shape [4]
 */
void inverse_dynamics(const double q[4], const double qd[4], const double qdd[4], double inverse_dynamics_out[4]);

void inverse_dynamics(const double q[4], const double qd[4], const double qdd[4], double inverse_dynamics_out[4]) {
    const double v0 = q[1];
    const double v9 = cos(v0);
    const double v10 = sin(v0);
    const double v1 = q[3];
    const double v11 = cos(v1);
    const double v12 = sin(v1);
    const double v2 = qd[0];
    const double v13 = v2 * v2;
    const double v3 = qd[1];
    const double v14 = v2 + v3;
    const double v5 = qdd[0];
    const double v6 = qdd[1];
    const double v15 = v5 + v6;
    const double v16 = (-0.325) * v13;
    const double v17 = 0.325 * v5;
    const double v18 = v9 * v16;
    const double v19 = v10 * v17;
    const double v20 = v18 + v19;
    const double v21 = v10 * v16;
    const double v22 = v9 * v17;
    const double v23 = v22 - v21;
    const double v24 = v14 * v14;
    const double v25 = v21 - v22;
    const double v7 = qdd[2];
    const double v26 = (-9.81) + v7;
    const double v8 = qdd[3];
    const double v27 = 0.003183098861837907 * v8;
    const double v4 = qd[3];
    const double v28 = v4 - v14;
    const double v29 = v8 - v15;
    const double v30 = 0.27499999999999997 * v24;
    const double v31 = v20 - v30;
    const double v32 = 0.27499999999999997 * v15;
    const double v33 = v25 - v32;
    const double v34 = v11 * v31;
    const double v35 = v12 * v33;
    const double v36 = v34 + v35;
    const double v37 = v12 * v31;
    const double v38 = v11 * v33;
    const double v39 = v38 - v37;
    const double v40 = v26 + v27;
    const double v41 = v15 - v8;
    const double v42 = v28 * v28;
    const double v43 = 0.9741500000000001 * v5;
    const double v44 = 0.020000000000000004 * v5;
    const double v45 = v43 + v44;
    const double v46 = 0.2936375 * v15;
    const double v47 = 0.010200000000000002 * v15;
    const double v48 = v46 + v47;
    const double v49 = 0.8999999999999999 * v23;
    const double v50 = v48 + v49;
    const double v51 = 0.8999999999999999 * v15;
    const double v52 = 0.4125 * v25;
    const double v53 = 1.5 * v20;
    const double v54 = 1.5 * v25;
    const double v55 = 1.5 * v26;
    const double v56 = 0.4125 * v24;
    const double v57 = v53 - v56;
    const double v58 = 0.4125 * v15;
    const double v59 = v54 - v58;
    const double v60 = 0.000102 * v29;
    const double v61 = 0.0001 * v41;
    const double v62 = v60 - v61;
    const double v63 = 0.001 * v39;
    const double v64 = v62 + v63;
    const double v65 = 0.5 * v36;
    const double v66 = 0.5 * v39;
    const double v67 = 0.5 * v40;
    const double v68 = 0.001 * v29;
    const double v69 = 0.001 * v42;
    const double v70 = v65 - v69;
    const double v71 = v66 + v68;
    const double v72 = v11 * v70;
    const double v73 = v12 * v71;
    const double v74 = v72 - v73;
    const double v75 = v12 * v70;
    const double v76 = v11 * v71;
    const double v77 = v75 + v76;
    const double v78 = 0.27499999999999997 * v77;
    const double v79 = v64 + v78;
    const double v80 = v52 + v79;
    const double v81 = v57 + v74;
    const double v82 = v59 + v77;
    const double v83 = v55 + v67;
    const double v84 = v50 - v80;
    const double v85 = 0.8999999999999999 * v24;
    const double v86 = v81 - v85;
    const double v87 = v51 - v82;
    const double v88 = v10 * v86;
    const double v89 = v9 * v87;
    const double v90 = v88 + v89;
    const double v91 = 0.325 * v90;
    const double v92 = v84 + v91;
    const double v93 = v45 + v92;
    const double v94 = 0.0015915494309189536 * v40;
    const double v95 = v64 + v94;
    inverse_dynamics_out[0] = v93;
    inverse_dynamics_out[1] = v84;
    inverse_dynamics_out[2] = v83;
    inverse_dynamics_out[3] = v95;
}
