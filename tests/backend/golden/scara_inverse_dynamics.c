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
    const double v5 = qdd[0];
    const double v14 = 0.9741500000000001 * v5;
    const double v15 = 0.020000000000000004 * v5;
    const double v16 = v14 + v15;
    const double v3 = qd[1];
    const double v17 = v2 + v3;
    const double v6 = qdd[1];
    const double v18 = v5 + v6;
    const double v19 = (-0.325) * v13;
    const double v20 = 0.325 * v5;
    const double v21 = v9 * v19;
    const double v22 = v10 * v20;
    const double v23 = v21 + v22;
    const double v24 = v10 * v19;
    const double v25 = v9 * v20;
    const double v26 = v25 - v24;
    const double v27 = v17 * v17;
    const double v28 = 0.2936375 * v18;
    const double v29 = 0.010200000000000002 * v18;
    const double v30 = v28 + v29;
    const double v31 = 0.8999999999999999 * v26;
    const double v32 = v30 + v31;
    const double v33 = 0.8999999999999999 * v18;
    const double v34 = v24 - v25;
    const double v7 = qdd[2];
    const double v35 = (-9.81) + v7;
    const double v36 = 0.4125 * v34;
    const double v37 = 1.5 * v23;
    const double v38 = 1.5 * v34;
    const double v39 = 1.5 * v35;
    const double v40 = 0.4125 * v27;
    const double v41 = v37 - v40;
    const double v42 = 0.4125 * v18;
    const double v43 = v38 - v42;
    const double v8 = qdd[3];
    const double v44 = 0.003183098861837907 * v8;
    const double v4 = qd[3];
    const double v45 = v4 - v17;
    const double v46 = v8 - v18;
    const double v47 = 0.27499999999999997 * v27;
    const double v48 = v23 - v47;
    const double v49 = 0.27499999999999997 * v18;
    const double v50 = v34 - v49;
    const double v51 = v11 * v48;
    const double v52 = v12 * v50;
    const double v53 = v51 + v52;
    const double v54 = v12 * v48;
    const double v55 = v11 * v50;
    const double v56 = v55 - v54;
    const double v57 = v35 + v44;
    const double v58 = v18 - v8;
    const double v59 = v45 * v45;
    const double v60 = 0.000102 * v46;
    const double v61 = 0.0001 * v58;
    const double v62 = v60 - v61;
    const double v63 = 0.001 * v56;
    const double v64 = v62 + v63;
    const double v65 = 0.5 * v53;
    const double v66 = 0.5 * v56;
    const double v67 = 0.5 * v57;
    const double v68 = 0.001 * v46;
    const double v69 = 0.001 * v59;
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
    const double v80 = v36 + v79;
    const double v81 = v41 + v74;
    const double v82 = v43 + v77;
    const double v83 = v39 + v67;
    const double v84 = v32 - v80;
    const double v85 = 0.8999999999999999 * v27;
    const double v86 = v81 - v85;
    const double v87 = v33 - v82;
    const double v88 = v10 * v86;
    const double v89 = v9 * v87;
    const double v90 = v88 + v89;
    const double v91 = 0.325 * v90;
    const double v92 = v84 + v91;
    const double v93 = v16 + v92;
    const double v94 = 0.0015915494309189536 * v57;
    const double v95 = v64 + v94;
    inverse_dynamics_out[0] = v93;
    inverse_dynamics_out[1] = v84;
    inverse_dynamics_out[2] = v83;
    inverse_dynamics_out[3] = v95;
}
