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
  %p8 = getelementptr i64, ptr %steps, i64 4
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
  %t27 = load <1 x double>, ptr %p26, align 8
  %p28 = getelementptr i8, ptr %p23, i64 0
  %t29 = load <1 x double>, ptr %p28, align 8
  %p30 = getelementptr i8, ptr %p24, i64 0
  %t31 = load <1 x double>, ptr %p30, align 8
  %p32 = getelementptr i8, ptr %p25, i64 0
  %t33 = load <1 x double>, ptr %p32, align 8
  %t34 = shufflevector <1 x double> %t27, <1 x double> %t29, <2 x i32> <i32 0, i32 1>
  %t35 = shufflevector <1 x double> %t31, <1 x double> %t33, <2 x i32> <i32 0, i32 1>
  %t36 = shufflevector <2 x double> %t34, <2 x double> %t35, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  br label %on14
columns13:
  %t37 = load <4 x double>, ptr %p11, align 8
  %p38 = getelementptr i8, ptr %p11, i64 256
  call void @llvm.prefetch.p0(ptr %p38, i32 0, i32 2, i32 1)
  br label %on14
on14:
  %t39 = phi <4 x double> [ %t36, %rows12 ], [ %t37, %columns13 ]
  %p40 = getelementptr ptr, ptr %args, i64 2
  %p41 = load ptr, ptr %p40
  %p42 = getelementptr i64, ptr %steps, i64 2
  %t43 = load i64, ptr %p42
  %p44 = getelementptr i64, ptr %steps, i64 6
  %t45 = load i64, ptr %p44
  %t46 = mul i64 %row, %t43
  %p47 = getelementptr i8, ptr %p41, i64 %t46
  %t51 = icmp eq i64 %t45, 8
  br i1 %t51, label %rows48, label %columns49
rows48:
  %t52 = select i1 %more1, i64 %t43, i64 0
  %p53 = getelementptr i8, ptr %p47, i64 %t52
  %t54 = select i1 %more2, i64 %t43, i64 0
  %p55 = getelementptr i8, ptr %p53, i64 %t54
  %t56 = select i1 %more3, i64 %t43, i64 0
  %p57 = getelementptr i8, ptr %p55, i64 %t56
  %p58 = getelementptr i8, ptr %p47, i64 0
  %p59 = getelementptr i8, ptr %p53, i64 0
  %p60 = getelementptr i8, ptr %p55, i64 0
  %p61 = getelementptr i8, ptr %p57, i64 0
  %p62 = getelementptr i8, ptr %p58, i64 0
  %t63 = load <1 x double>, ptr %p62, align 8
  %p64 = getelementptr i8, ptr %p59, i64 0
  %t65 = load <1 x double>, ptr %p64, align 8
  %p66 = getelementptr i8, ptr %p60, i64 0
  %t67 = load <1 x double>, ptr %p66, align 8
  %p68 = getelementptr i8, ptr %p61, i64 0
  %t69 = load <1 x double>, ptr %p68, align 8
  %t70 = shufflevector <1 x double> %t63, <1 x double> %t65, <2 x i32> <i32 0, i32 1>
  %t71 = shufflevector <1 x double> %t67, <1 x double> %t69, <2 x i32> <i32 0, i32 1>
  %t72 = shufflevector <2 x double> %t70, <2 x double> %t71, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  br label %on50
columns49:
  %t73 = load <4 x double>, ptr %p47, align 8
  %p74 = getelementptr i8, ptr %p47, i64 256
  call void @llvm.prefetch.p0(ptr %p74, i32 0, i32 2, i32 1)
  br label %on50
on50:
  %t75 = phi <4 x double> [ %t72, %rows48 ], [ %t73, %columns49 ]
  %t76 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t39, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000010000))
  %t77 = bitcast <4 x double> %t76 to <4 x i64>
  %t78 = xor <4 x i64> %t77, splat (i64 4843621399236968448)
  %t79 = or <4 x i64> splat (i64 0), %t78
  %t80 = and <4 x i64> %t79, splat (i64 -131072)
  %t81 = icmp ne <4 x i64> %t80, splat (i64 0)
  %t82 = bitcast <4 x i1> %t81 to i4
  %t83 = icmp ne i4 %t82, 0
  br i1 %t83, label %slow85, label %fast84, !prof !0
fast84:
  %t87 = fsub <4 x double> %t76, splat (double 0x4338000000010000)
  %t88 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t87, <4 x double> splat (double 0xBFF921FB54442D18), <4 x double> %t39)
  %t89 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t87, <4 x double> splat (double 0xBC91A62633145C06), <4 x double> %t88)
  %t90 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t87, <4 x double> splat (double 0xB94C1CD129024E09), <4 x double> %t89)
  %t91 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t90, <4 x double> %t90, <4 x double> splat (double 0x3370000000000000))
  %t92 = fcmp olt <4 x double> %t91, splat (double 0x3C90000000000000)
  %t93 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3DE5D93A5ACFD57C), <4 x double> %t91, <4 x double> splat (double 0xBE5AE5E68A2B9CEB))
  %t94 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t93, <4 x double> %t91, <4 x double> splat (double 0x3EC71DE357B1FE7D))
  %t95 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t94, <4 x double> %t91, <4 x double> splat (double 0xBF2A01A019C161D5))
  %t96 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t95, <4 x double> %t91, <4 x double> splat (double 0x3F8111111110F8A6))
  %t97 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t96, <4 x double> %t91, <4 x double> splat (double 0xBFC5555555555549))
  %t98 = fmul <4 x double> %t91, %t97
  %t99 = select <4 x i1> %t92, <4 x double> splat (double 0x0000000000000000), <4 x double> %t98
  %t100 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t90, <4 x double> %t99, <4 x double> %t90)
  %t101 = bitcast <4 x double> %t100 to <4 x i64>
  %t102 = bitcast <4 x double> %t90 to <4 x i64>
  %t103 = and <4 x i64> %t102, splat (i64 -9223372036854775808)
  %t104 = or <4 x i64> %t101, %t103
  %t105 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0xBDA8FAE9BE8838D4), <4 x double> %t91, <4 x double> splat (double 0x3E21EE9EBDB4B1C4))
  %t106 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t105, <4 x double> %t91, <4 x double> splat (double 0xBE927E4F809C52AD))
  %t107 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t106, <4 x double> %t91, <4 x double> splat (double 0x3EFA01A019CB1590))
  %t108 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t107, <4 x double> %t91, <4 x double> splat (double 0xBF56C16C16C15177))
  %t109 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t108, <4 x double> %t91, <4 x double> splat (double 0x3FA555555555554C))
  %t110 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t109, <4 x double> %t91, <4 x double> splat (double 0xBFE0000000000000))
  %t111 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t91, <4 x double> %t110, <4 x double> splat (double 0x3FF0000000000000))
  %t112 = bitcast <4 x double> %t111 to <4 x i64>
  %t113 = bitcast <4 x double> %t76 to <4 x i64>
  %t114 = and <4 x i64> %t113, splat (i64 1)
  %t115 = icmp ne <4 x i64> %t114, splat (i64 0)
  %t116 = shl <4 x i64> %t113, splat (i64 62)
  %t117 = and <4 x i64> %t116, splat (i64 -9223372036854775808)
  %t118 = select <4 x i1> %t115, <4 x i64> %t112, <4 x i64> %t104
  %t119 = xor <4 x i64> %t104, splat (i64 -9223372036854775808)
  %t120 = select <4 x i1> %t115, <4 x i64> %t119, <4 x i64> %t112
  %t121 = xor <4 x i64> %t118, %t117
  %t122 = bitcast <4 x i64> %t121 to <4 x double>
  %t123 = xor <4 x i64> %t120, %t117
  %t124 = bitcast <4 x i64> %t123 to <4 x double>
  br label %join86
slow85:
  %t125 = call { <4 x double>, <4 x double> } @sincos(<4 x double> %t39)
  %t126 = extractvalue { <4 x double>, <4 x double> } %t125, 0
  %t127 = extractvalue { <4 x double>, <4 x double> } %t125, 1
  br label %join86
join86:
  %t128 = phi <4 x double> [ %t122, %fast84 ], [ %t126, %slow85 ]
  %t129 = phi <4 x double> [ %t124, %fast84 ], [ %t127, %slow85 ]
  %t130 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x40239EB851EB851F), <4 x double> %t128, <4 x double> %t75)
  %p131 = getelementptr ptr, ptr %args, i64 3
  %p132 = load ptr, ptr %p131
  %p133 = getelementptr i64, ptr %steps, i64 3
  %t134 = load i64, ptr %p133
  %p135 = getelementptr i64, ptr %steps, i64 7
  %t136 = load i64, ptr %p135
  %t137 = mul i64 %row, %t134
  %p138 = getelementptr i8, ptr %p132, i64 %t137
  %t142 = icmp eq i64 %t136, 8
  br i1 %t142, label %rows139, label %columns140
rows139:
  %t143 = select i1 %more1, i64 %t134, i64 0
  %p144 = getelementptr i8, ptr %p138, i64 %t143
  %t145 = select i1 %more2, i64 %t134, i64 0
  %p146 = getelementptr i8, ptr %p144, i64 %t145
  %t147 = select i1 %more3, i64 %t134, i64 0
  %p148 = getelementptr i8, ptr %p146, i64 %t147
  %p149 = getelementptr i8, ptr %p138, i64 0
  %p150 = getelementptr i8, ptr %p144, i64 0
  %p151 = getelementptr i8, ptr %p146, i64 0
  %p152 = getelementptr i8, ptr %p148, i64 0
  %t153 = shufflevector <4 x double> %t130, <4 x double> poison, <1 x i32> <i32 0>
  %p154 = getelementptr i8, ptr %p149, i64 0
  store <1 x double> %t153, ptr %p154, align 8
  %t155 = shufflevector <4 x double> %t130, <4 x double> poison, <1 x i32> <i32 1>
  %p156 = getelementptr i8, ptr %p150, i64 0
  store <1 x double> %t155, ptr %p156, align 8
  %t157 = shufflevector <4 x double> %t130, <4 x double> poison, <1 x i32> <i32 2>
  %p158 = getelementptr i8, ptr %p151, i64 0
  store <1 x double> %t157, ptr %p158, align 8
  %t159 = shufflevector <4 x double> %t130, <4 x double> poison, <1 x i32> <i32 3>
  %p160 = getelementptr i8, ptr %p152, i64 0
  store <1 x double> %t159, ptr %p160, align 8
  br label %on141
columns140:
  store <4 x double> %t130, ptr %p138, align 8
  br label %on141
on141:
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
