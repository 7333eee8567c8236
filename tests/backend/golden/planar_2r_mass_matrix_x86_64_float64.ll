target triple = "x86_64-unknown-linux-gnu"

@chasles_table = global [17 x ptr] zeroinitializer

define internal void @segment0(ptr noalias %args, ptr noalias %steps, i64 %row, i64 %valid, ptr noalias %scratch) noinline alignstack(32) {
entry:
  %more1 = icmp sgt i64 %valid, 1
  %more2 = icmp sgt i64 %valid, 2
  %more3 = icmp sgt i64 %valid, 3
  %p4 = getelementptr ptr, ptr %args, i64 0
  %p5 = load ptr, ptr %p4
  %p6 = getelementptr i64, ptr %steps, i64 0
  %t7 = load i64, ptr %p6
  %p8 = getelementptr i64, ptr %steps, i64 2
  %t9 = load i64, ptr %p8
  %t10 = mul i64 %row, %t7
  %p11 = getelementptr i8, ptr %p5, i64 %t10
  %t15 = icmp eq i64 %t9, 8
  br i1 %t15, label %rows12, label %columns13
rows12:
  %t16 = select i1 %more1, i64 %t7, i64 0
  %p17 = getelementptr i8, ptr %p11, i64 %t16
  %t18 = select i1 %more2, i64 %t7, i64 0
  %p19 = getelementptr i8, ptr %p17, i64 %t18
  %t20 = select i1 %more3, i64 %t7, i64 0
  %p21 = getelementptr i8, ptr %p19, i64 %t20
  %p22 = getelementptr i8, ptr %p11, i64 0
  %p23 = getelementptr i8, ptr %p17, i64 0
  %p24 = getelementptr i8, ptr %p19, i64 0
  %p25 = getelementptr i8, ptr %p21, i64 0
  %p26 = getelementptr i8, ptr %p22, i64 0
  %t27 = load <2 x double>, ptr %p26, align 8
  %p28 = getelementptr i8, ptr %p23, i64 0
  %t29 = load <2 x double>, ptr %p28, align 8
  %p30 = getelementptr i8, ptr %p24, i64 0
  %t31 = load <2 x double>, ptr %p30, align 8
  %p32 = getelementptr i8, ptr %p25, i64 0
  %t33 = load <2 x double>, ptr %p32, align 8
  %t34 = shufflevector <2 x double> %t27, <2 x double> %t31, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t35 = shufflevector <2 x double> %t29, <2 x double> %t33, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t36 = shufflevector <4 x double> %t34, <4 x double> %t35, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t37 = shufflevector <4 x double> %t34, <4 x double> %t35, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  br label %on14
columns13:
  %p38 = getelementptr i8, ptr %p11, i64 %t9
  %t39 = load <4 x double>, ptr %p38, align 8
  %p40 = getelementptr i8, ptr %p38, i64 256
  call void @llvm.prefetch.p0(ptr %p40, i32 0, i32 2, i32 1)
  br label %on14
on14:
  %t41 = phi <4 x double> [ %t37, %rows12 ], [ %t39, %columns13 ]
  %t42 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t41, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000010000))
  %t43 = bitcast <4 x double> %t42 to <4 x i64>
  %t44 = xor <4 x i64> %t43, splat (i64 4843621399236968448)
  %t45 = or <4 x i64> splat (i64 0), %t44
  %t46 = and <4 x i64> %t45, splat (i64 -131072)
  %t47 = icmp ne <4 x i64> %t46, splat (i64 0)
  %t48 = bitcast <4 x i1> %t47 to i4
  %t49 = icmp ne i4 %t48, 0
  br i1 %t49, label %slow51, label %fast50, !prof !0
fast50:
  %t53 = fsub <4 x double> %t42, splat (double 0x4338000000010000)
  %t54 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t53, <4 x double> splat (double 0xBFF921FB54442D18), <4 x double> %t41)
  %t55 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t53, <4 x double> splat (double 0xBC91A62633145C06), <4 x double> %t54)
  %t56 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t53, <4 x double> splat (double 0xB94C1CD129024E09), <4 x double> %t55)
  %t57 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t56, <4 x double> %t56, <4 x double> splat (double 0x3370000000000000))
  %t58 = fcmp olt <4 x double> %t57, splat (double 0x3C90000000000000)
  %t59 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3DE5D93A5ACFD57C), <4 x double> %t57, <4 x double> splat (double 0xBE5AE5E68A2B9CEB))
  %t60 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t59, <4 x double> %t57, <4 x double> splat (double 0x3EC71DE357B1FE7D))
  %t61 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t60, <4 x double> %t57, <4 x double> splat (double 0xBF2A01A019C161D5))
  %t62 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t61, <4 x double> %t57, <4 x double> splat (double 0x3F8111111110F8A6))
  %t63 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t62, <4 x double> %t57, <4 x double> splat (double 0xBFC5555555555549))
  %t64 = fmul <4 x double> %t57, %t63
  %t65 = select <4 x i1> %t58, <4 x double> splat (double 0x0000000000000000), <4 x double> %t64
  %t66 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t56, <4 x double> %t65, <4 x double> %t56)
  %t67 = bitcast <4 x double> %t66 to <4 x i64>
  %t68 = bitcast <4 x double> %t56 to <4 x i64>
  %t69 = and <4 x i64> %t68, splat (i64 -9223372036854775808)
  %t70 = or <4 x i64> %t67, %t69
  %t71 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0xBDA8FAE9BE8838D4), <4 x double> %t57, <4 x double> splat (double 0x3E21EE9EBDB4B1C4))
  %t72 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t71, <4 x double> %t57, <4 x double> splat (double 0xBE927E4F809C52AD))
  %t73 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t72, <4 x double> %t57, <4 x double> splat (double 0x3EFA01A019CB1590))
  %t74 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t73, <4 x double> %t57, <4 x double> splat (double 0xBF56C16C16C15177))
  %t75 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t74, <4 x double> %t57, <4 x double> splat (double 0x3FA555555555554C))
  %t76 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t75, <4 x double> %t57, <4 x double> splat (double 0xBFE0000000000000))
  %t77 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t57, <4 x double> %t76, <4 x double> splat (double 0x3FF0000000000000))
  %t78 = bitcast <4 x double> %t77 to <4 x i64>
  %t79 = bitcast <4 x double> %t42 to <4 x i64>
  %t80 = and <4 x i64> %t79, splat (i64 1)
  %t81 = icmp ne <4 x i64> %t80, splat (i64 0)
  %t82 = shl <4 x i64> %t79, splat (i64 62)
  %t83 = and <4 x i64> %t82, splat (i64 -9223372036854775808)
  %t84 = select <4 x i1> %t81, <4 x i64> %t78, <4 x i64> %t70
  %t85 = xor <4 x i64> %t70, splat (i64 -9223372036854775808)
  %t86 = select <4 x i1> %t81, <4 x i64> %t85, <4 x i64> %t78
  %t87 = xor <4 x i64> %t84, %t83
  %t88 = bitcast <4 x i64> %t87 to <4 x double>
  %t89 = xor <4 x i64> %t86, %t83
  %t90 = bitcast <4 x i64> %t89 to <4 x double>
  br label %join52
slow51:
  %t91 = call { <4 x double>, <4 x double> } @sincos(<4 x double> %t41)
  %t92 = extractvalue { <4 x double>, <4 x double> } %t91, 0
  %t93 = extractvalue { <4 x double>, <4 x double> } %t91, 1
  br label %join52
join52:
  %t94 = phi <4 x double> [ %t88, %fast50 ], [ %t92, %slow51 ]
  %t95 = phi <4 x double> [ %t90, %fast50 ], [ %t93, %slow51 ]
  %t96 = fmul <4 x double> splat (double 0x3FD47AE147AE147B), %t95
  %t97 = fmul <4 x double> splat (double 0xBF4A36E2EB1C432D), %t94
  %t98 = fmul <4 x double> splat (double 0x3FD47AE147AE147B), %t94
  %t99 = fmul <4 x double> splat (double 0x3F4A36E2EB1C432D), %t95
  %t100 = fmul <4 x double> %t95, %t96
  %t101 = fneg <4 x double> %t94
  %t102 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t101, <4 x double> %t97, <4 x double> %t100)
  %t103 = fmul <4 x double> %t94, %t98
  %t104 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t95, <4 x double> %t99, <4 x double> %t103)
  %t105 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3FF3333333333333), <4 x double> %t95, <4 x double> %t102)
  %t106 = fadd <4 x double> splat (double 0x4004000000000000), %t105
  %t107 = fadd <4 x double> splat (double 0x3F647AE147AE147B), %t104
  %t108 = fadd <4 x double> %t106, %t107
  %t109 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3FE3333333333333), <4 x double> %t95, <4 x double> splat (double 0x3FD487FCB923A29D))
  %p110 = getelementptr ptr, ptr %args, i64 1
  %p111 = load ptr, ptr %p110
  %p112 = getelementptr i64, ptr %steps, i64 1
  %t113 = load i64, ptr %p112
  %p114 = getelementptr i64, ptr %steps, i64 3
  %t115 = load i64, ptr %p114
  %t116 = mul i64 %row, %t113
  %p117 = getelementptr i8, ptr %p111, i64 %t116
  %t121 = icmp eq i64 %t115, 8
  br i1 %t121, label %rows118, label %columns119
rows118:
  %t122 = select i1 %more1, i64 %t113, i64 0
  %p123 = getelementptr i8, ptr %p117, i64 %t122
  %t124 = select i1 %more2, i64 %t113, i64 0
  %p125 = getelementptr i8, ptr %p123, i64 %t124
  %t126 = select i1 %more3, i64 %t113, i64 0
  %p127 = getelementptr i8, ptr %p125, i64 %t126
  %p128 = getelementptr i8, ptr %p117, i64 0
  %p129 = getelementptr i8, ptr %p123, i64 0
  %p130 = getelementptr i8, ptr %p125, i64 0
  %p131 = getelementptr i8, ptr %p127, i64 0
  %t132 = shufflevector <4 x double> %t108, <4 x double> %t109, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t133 = shufflevector <4 x double> %t108, <4 x double> %t109, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t134 = shufflevector <4 x double> %t109, <4 x double> splat (double 0x3FD487FCB923A29D), <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t135 = shufflevector <4 x double> %t109, <4 x double> splat (double 0x3FD487FCB923A29D), <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t136 = shufflevector <4 x double> %t132, <4 x double> %t134, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t137 = shufflevector <4 x double> %t132, <4 x double> %t134, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t138 = shufflevector <4 x double> %t133, <4 x double> %t135, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t139 = shufflevector <4 x double> %t133, <4 x double> %t135, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  store <4 x double> %t136, ptr %p128, align 8
  store <4 x double> %t138, ptr %p129, align 8
  store <4 x double> %t137, ptr %p130, align 8
  store <4 x double> %t139, ptr %p131, align 8
  br label %on120
columns119:
  store <4 x double> %t108, ptr %p117, align 8
  %p140 = getelementptr i8, ptr %p117, i64 %t115
  store <4 x double> %t109, ptr %p140, align 8
  %p141 = getelementptr i8, ptr %p140, i64 %t115
  store <4 x double> %t109, ptr %p141, align 8
  %p142 = getelementptr i8, ptr %p141, i64 %t115
  store <4 x double> splat (double 0x3FD487FCB923A29D), ptr %p142, align 8
  br label %on120
on120:
  ret void
}

define internal { <4 x double>, <4 x double> } @sincos(<4 x double> %x) noinline cold {
entry:
  %t1 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000010000))
  %t2 = bitcast <4 x double> %t1 to <4 x i64>
  %t3 = xor <4 x i64> %t2, splat (i64 4843621399236968448)
  %t4 = or <4 x i64> splat (i64 0), %t3
  %t5 = and <4 x i64> %t4, splat (i64 -131072)
  %t6 = icmp ne <4 x i64> %t5, splat (i64 0)
  %t7 = select <4 x i1> %t6, <4 x double> splat (double 0x0000000000000000), <4 x double> %x
  %t8 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t7, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000010000))
  %t9 = fsub <4 x double> %t8, splat (double 0x4338000000010000)
  %t10 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t9, <4 x double> splat (double 0xBFF921FB54442D18), <4 x double> %t7)
  %t11 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t9, <4 x double> splat (double 0xBC91A62633145C06), <4 x double> %t10)
  %t12 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t9, <4 x double> splat (double 0xB94C1CD129024E09), <4 x double> %t11)
  %t13 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t12, <4 x double> %t12, <4 x double> splat (double 0x3370000000000000))
  %t14 = fcmp olt <4 x double> %t13, splat (double 0x3C90000000000000)
  %t15 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3DE5D93A5ACFD57C), <4 x double> %t13, <4 x double> splat (double 0xBE5AE5E68A2B9CEB))
  %t16 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t15, <4 x double> %t13, <4 x double> splat (double 0x3EC71DE357B1FE7D))
  %t17 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t16, <4 x double> %t13, <4 x double> splat (double 0xBF2A01A019C161D5))
  %t18 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t17, <4 x double> %t13, <4 x double> splat (double 0x3F8111111110F8A6))
  %t19 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t18, <4 x double> %t13, <4 x double> splat (double 0xBFC5555555555549))
  %t20 = fmul <4 x double> %t13, %t19
  %t21 = select <4 x i1> %t14, <4 x double> splat (double 0x0000000000000000), <4 x double> %t20
  %t22 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t12, <4 x double> %t21, <4 x double> %t12)
  %t23 = bitcast <4 x double> %t22 to <4 x i64>
  %t24 = bitcast <4 x double> %t12 to <4 x i64>
  %t25 = and <4 x i64> %t24, splat (i64 -9223372036854775808)
  %t26 = or <4 x i64> %t23, %t25
  %t27 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0xBDA8FAE9BE8838D4), <4 x double> %t13, <4 x double> splat (double 0x3E21EE9EBDB4B1C4))
  %t28 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t27, <4 x double> %t13, <4 x double> splat (double 0xBE927E4F809C52AD))
  %t29 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t28, <4 x double> %t13, <4 x double> splat (double 0x3EFA01A019CB1590))
  %t30 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t29, <4 x double> %t13, <4 x double> splat (double 0xBF56C16C16C15177))
  %t31 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t30, <4 x double> %t13, <4 x double> splat (double 0x3FA555555555554C))
  %t32 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t31, <4 x double> %t13, <4 x double> splat (double 0xBFE0000000000000))
  %t33 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t13, <4 x double> %t32, <4 x double> splat (double 0x3FF0000000000000))
  %t34 = bitcast <4 x double> %t33 to <4 x i64>
  %t35 = bitcast <4 x double> %t8 to <4 x i64>
  %t36 = and <4 x i64> %t35, splat (i64 1)
  %t37 = icmp ne <4 x i64> %t36, splat (i64 0)
  %t38 = shl <4 x i64> %t35, splat (i64 62)
  %t39 = and <4 x i64> %t38, splat (i64 -9223372036854775808)
  %t40 = select <4 x i1> %t37, <4 x i64> %t34, <4 x i64> %t26
  %t41 = xor <4 x i64> %t26, splat (i64 -9223372036854775808)
  %t42 = select <4 x i1> %t37, <4 x i64> %t41, <4 x i64> %t34
  %t43 = xor <4 x i64> %t40, %t39
  %t44 = bitcast <4 x i64> %t43 to <4 x double>
  %t45 = xor <4 x i64> %t42, %t39
  %t46 = bitcast <4 x i64> %t45 to <4 x double>
  %t47 = call <4 x double> @mend(<4 x double> %x, <4 x double> %t44, i64 1)
  %t48 = insertvalue { <4 x double>, <4 x double> } poison, <4 x double> %t47, 0
  %t49 = call <4 x double> @mend(<4 x double> %x, <4 x double> %t46, i64 2)
  %t50 = insertvalue { <4 x double>, <4 x double> } %t48, <4 x double> %t49, 1
  ret { <4 x double>, <4 x double> } %t50
}

define internal <4 x double> @mend(<4 x double> %x, <4 x double> %quick, i64 %f) noinline cold {
entry:
  %t1 = call <4 x double> @llvm.fma.v4f64(<4 x double> %x, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000010000))
  %t2 = bitcast <4 x double> %t1 to <4 x i64>
  %t3 = xor <4 x i64> %t2, splat (i64 4843621399236968448)
  %t4 = or <4 x i64> splat (i64 0), %t3
  %t5 = and <4 x i64> %t4, splat (i64 -131072)
  %t6 = icmp ne <4 x i64> %t5, splat (i64 0)
  %xs = alloca <4 x double>, align 64
  %qs = alloca <4 x double>, align 64
  %bs = alloca [4 x i8], align 64
  store <4 x double> %x, ptr %xs, align 64
  store <4 x double> %quick, ptr %qs, align 64
  %t7 = zext <4 x i1> %t6 to <4 x i8>
  store <4 x i8> %t7, ptr %bs, align 64
  %t8 = getelementptr ptr, ptr @chasles_table, i64 %f
  %t9 = load ptr, ptr %t8
  br label %loop
loop:
  %lane = phi i64 [ 0, %entry ], [ %next, %step ]
  %bp = getelementptr i8, ptr %bs, i64 %lane
  %flag = load i8, ptr %bp
  %out = icmp ne i8 %flag, 0
  br i1 %out, label %slow, label %step
slow:
  %xp = getelementptr double, ptr %xs, i64 %lane
  %value = load double, ptr %xp
    %exact = call double %t9(double %value)
  %qp = getelementptr double, ptr %qs, i64 %lane
  store double %exact, ptr %qp
  br label %step
step:
  %next = add i64 %lane, 1
  %again = icmp ult i64 %next, 4
  br i1 %again, label %loop, label %done
done:
  %mended = load <4 x double>, ptr %qs, align 64
  ret <4 x double> %mended
}

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)
declare <4 x double> @llvm.sqrt.v4f64(<4 x double>)
declare <4 x double> @llvm.floor.v4f64(<4 x double>)
declare void @llvm.masked.store.v4f64.p0(<4 x double>, ptr, i32, <4 x i1>)

!0 = !{!"branch_weights", i32 1, i32 1000000}

define void @range(ptr %args, ptr %steps, i64 %start, i64 %stop, ptr %part) {
entry:
  %some = icmp slt i64 %start, %stop
  br i1 %some, label %begin, label %never
never:
  ret void
begin:
  %scratch = bitcast ptr null to ptr
  br label %block
block:
  %row = phi i64 [ %start, %begin ], [ %next, %block ]
  %left = sub i64 %stop, %row
  call void @segment0(ptr %args, ptr %steps, i64 %row, i64 %left, ptr %scratch)
  %next = add i64 %row, 4
  %again = icmp slt i64 %next, %stop
  br i1 %again, label %block, label %done
done:

  ret void
}
