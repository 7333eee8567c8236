target triple = "x86_64-unknown-linux-gnu"

@chasles_table = global [17 x ptr] zeroinitializer

define internal void @segment0(ptr noalias %args, ptr noalias %steps, i64 %row, i64 %valid, ptr noalias %scratch) noinline {
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
  br label %on14
on14:
  %t38 = phi <4 x double> [ %t36, %rows12 ], [ %t37, %columns13 ]
  %p39 = getelementptr ptr, ptr %args, i64 2
  %p40 = load ptr, ptr %p39
  %p41 = getelementptr i64, ptr %steps, i64 2
  %t42 = load i64, ptr %p41
  %p43 = getelementptr i64, ptr %steps, i64 6
  %t44 = load i64, ptr %p43
  %t45 = mul i64 %row, %t42
  %p46 = getelementptr i8, ptr %p40, i64 %t45
  %t50 = icmp eq i64 %t44, 8
  br i1 %t50, label %rows47, label %columns48
rows47:
  %t51 = select i1 %more1, i64 %t42, i64 0
  %p52 = getelementptr i8, ptr %p46, i64 %t51
  %t53 = select i1 %more2, i64 %t42, i64 0
  %p54 = getelementptr i8, ptr %p52, i64 %t53
  %t55 = select i1 %more3, i64 %t42, i64 0
  %p56 = getelementptr i8, ptr %p54, i64 %t55
  %p57 = getelementptr i8, ptr %p46, i64 0
  %p58 = getelementptr i8, ptr %p52, i64 0
  %p59 = getelementptr i8, ptr %p54, i64 0
  %p60 = getelementptr i8, ptr %p56, i64 0
  %p61 = getelementptr i8, ptr %p57, i64 0
  %t62 = load <1 x double>, ptr %p61, align 8
  %p63 = getelementptr i8, ptr %p58, i64 0
  %t64 = load <1 x double>, ptr %p63, align 8
  %p65 = getelementptr i8, ptr %p59, i64 0
  %t66 = load <1 x double>, ptr %p65, align 8
  %p67 = getelementptr i8, ptr %p60, i64 0
  %t68 = load <1 x double>, ptr %p67, align 8
  %t69 = shufflevector <1 x double> %t62, <1 x double> %t64, <2 x i32> <i32 0, i32 1>
  %t70 = shufflevector <1 x double> %t66, <1 x double> %t68, <2 x i32> <i32 0, i32 1>
  %t71 = shufflevector <2 x double> %t69, <2 x double> %t70, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  br label %on49
columns48:
  %t72 = load <4 x double>, ptr %p46, align 8
  br label %on49
on49:
  %t73 = phi <4 x double> [ %t71, %rows47 ], [ %t72, %columns48 ]
  %t74 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t38, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000010000))
  %t75 = bitcast <4 x double> %t74 to <4 x i64>
  %t76 = xor <4 x i64> %t75, splat (i64 4843621399236968448)
  %t77 = or <4 x i64> splat (i64 0), %t76
  %t78 = and <4 x i64> %t77, splat (i64 -131072)
  %t79 = icmp ne <4 x i64> %t78, splat (i64 0)
  %t80 = bitcast <4 x i1> %t79 to i4
  %t81 = icmp ne i4 %t80, 0
  br i1 %t81, label %slow83, label %fast82, !prof !0
fast82:
  %t85 = fsub <4 x double> %t74, splat (double 0x4338000000010000)
  %t86 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t85, <4 x double> splat (double 0xBFF921FB54442D18), <4 x double> %t38)
  %t87 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t85, <4 x double> splat (double 0xBC91A62633145C06), <4 x double> %t86)
  %t88 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t85, <4 x double> splat (double 0xB94C1CD129024E09), <4 x double> %t87)
  %t89 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t88, <4 x double> %t88, <4 x double> splat (double 0x3370000000000000))
  %t90 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3DE5D93A5ACFD57C), <4 x double> %t89, <4 x double> splat (double 0xBE5AE5E68A2B9CEB))
  %t91 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t90, <4 x double> %t89, <4 x double> splat (double 0x3EC71DE357B1FE7D))
  %t92 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t91, <4 x double> %t89, <4 x double> splat (double 0xBF2A01A019C161D5))
  %t93 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t92, <4 x double> %t89, <4 x double> splat (double 0x3F8111111110F8A6))
  %t94 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t93, <4 x double> %t89, <4 x double> splat (double 0xBFC5555555555549))
  %t95 = fmul <4 x double> %t89, %t94
  %t96 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t88, <4 x double> %t95, <4 x double> %t88)
  %t97 = bitcast <4 x double> %t96 to <4 x i64>
  %t98 = bitcast <4 x double> %t88 to <4 x i64>
  %t99 = and <4 x i64> %t98, splat (i64 -9223372036854775808)
  %t100 = or <4 x i64> %t97, %t99
  %t101 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0xBDA8FAE9BE8838D4), <4 x double> %t89, <4 x double> splat (double 0x3E21EE9EBDB4B1C4))
  %t102 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t101, <4 x double> %t89, <4 x double> splat (double 0xBE927E4F809C52AD))
  %t103 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t102, <4 x double> %t89, <4 x double> splat (double 0x3EFA01A019CB1590))
  %t104 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t103, <4 x double> %t89, <4 x double> splat (double 0xBF56C16C16C15177))
  %t105 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t104, <4 x double> %t89, <4 x double> splat (double 0x3FA555555555554C))
  %t106 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t105, <4 x double> %t89, <4 x double> splat (double 0xBFE0000000000000))
  %t107 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t89, <4 x double> %t106, <4 x double> splat (double 0x3FF0000000000000))
  %t108 = bitcast <4 x double> %t107 to <4 x i64>
  %t109 = bitcast <4 x double> %t74 to <4 x i64>
  %t110 = and <4 x i64> %t109, splat (i64 1)
  %t111 = icmp ne <4 x i64> %t110, splat (i64 0)
  %t112 = shl <4 x i64> %t109, splat (i64 62)
  %t113 = and <4 x i64> %t112, splat (i64 -9223372036854775808)
  %t114 = select <4 x i1> %t111, <4 x i64> %t108, <4 x i64> %t100
  %t115 = xor <4 x i64> %t100, splat (i64 -9223372036854775808)
  %t116 = select <4 x i1> %t111, <4 x i64> %t115, <4 x i64> %t108
  %t117 = xor <4 x i64> %t114, %t113
  %t118 = bitcast <4 x i64> %t117 to <4 x double>
  %t119 = xor <4 x i64> %t116, %t113
  %t120 = bitcast <4 x i64> %t119 to <4 x double>
  br label %join84
slow83:
  %t121 = call { <4 x double>, <4 x double> } @sincos(<4 x double> %t38)
  %t122 = extractvalue { <4 x double>, <4 x double> } %t121, 0
  %t123 = extractvalue { <4 x double>, <4 x double> } %t121, 1
  br label %join84
join84:
  %t124 = phi <4 x double> [ %t118, %fast82 ], [ %t122, %slow83 ]
  %t125 = phi <4 x double> [ %t120, %fast82 ], [ %t123, %slow83 ]
  %t126 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x40239EB851EB851F), <4 x double> %t124, <4 x double> %t73)
  %p127 = getelementptr ptr, ptr %args, i64 3
  %p128 = load ptr, ptr %p127
  %p129 = getelementptr i64, ptr %steps, i64 3
  %t130 = load i64, ptr %p129
  %p131 = getelementptr i64, ptr %steps, i64 7
  %t132 = load i64, ptr %p131
  %t133 = mul i64 %row, %t130
  %p134 = getelementptr i8, ptr %p128, i64 %t133
  %t138 = icmp eq i64 %t132, 8
  br i1 %t138, label %rows135, label %columns136
rows135:
  %t139 = select i1 %more1, i64 %t130, i64 0
  %p140 = getelementptr i8, ptr %p134, i64 %t139
  %t141 = select i1 %more2, i64 %t130, i64 0
  %p142 = getelementptr i8, ptr %p140, i64 %t141
  %t143 = select i1 %more3, i64 %t130, i64 0
  %p144 = getelementptr i8, ptr %p142, i64 %t143
  %p145 = getelementptr i8, ptr %p134, i64 0
  %p146 = getelementptr i8, ptr %p140, i64 0
  %p147 = getelementptr i8, ptr %p142, i64 0
  %p148 = getelementptr i8, ptr %p144, i64 0
  %t149 = shufflevector <4 x double> %t126, <4 x double> poison, <1 x i32> <i32 0>
  %p150 = getelementptr i8, ptr %p145, i64 0
  store <1 x double> %t149, ptr %p150, align 8
  %t151 = shufflevector <4 x double> %t126, <4 x double> poison, <1 x i32> <i32 1>
  %p152 = getelementptr i8, ptr %p146, i64 0
  store <1 x double> %t151, ptr %p152, align 8
  %t153 = shufflevector <4 x double> %t126, <4 x double> poison, <1 x i32> <i32 2>
  %p154 = getelementptr i8, ptr %p147, i64 0
  store <1 x double> %t153, ptr %p154, align 8
  %t155 = shufflevector <4 x double> %t126, <4 x double> poison, <1 x i32> <i32 3>
  %p156 = getelementptr i8, ptr %p148, i64 0
  store <1 x double> %t155, ptr %p156, align 8
  br label %on137
columns136:
  store <4 x double> %t126, ptr %p134, align 8
  br label %on137
on137:
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
  %t14 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3DE5D93A5ACFD57C), <4 x double> %t13, <4 x double> splat (double 0xBE5AE5E68A2B9CEB))
  %t15 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t14, <4 x double> %t13, <4 x double> splat (double 0x3EC71DE357B1FE7D))
  %t16 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t15, <4 x double> %t13, <4 x double> splat (double 0xBF2A01A019C161D5))
  %t17 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t16, <4 x double> %t13, <4 x double> splat (double 0x3F8111111110F8A6))
  %t18 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t17, <4 x double> %t13, <4 x double> splat (double 0xBFC5555555555549))
  %t19 = fmul <4 x double> %t13, %t18
  %t20 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t12, <4 x double> %t19, <4 x double> %t12)
  %t21 = bitcast <4 x double> %t20 to <4 x i64>
  %t22 = bitcast <4 x double> %t12 to <4 x i64>
  %t23 = and <4 x i64> %t22, splat (i64 -9223372036854775808)
  %t24 = or <4 x i64> %t21, %t23
  %t25 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0xBDA8FAE9BE8838D4), <4 x double> %t13, <4 x double> splat (double 0x3E21EE9EBDB4B1C4))
  %t26 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t25, <4 x double> %t13, <4 x double> splat (double 0xBE927E4F809C52AD))
  %t27 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t26, <4 x double> %t13, <4 x double> splat (double 0x3EFA01A019CB1590))
  %t28 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t27, <4 x double> %t13, <4 x double> splat (double 0xBF56C16C16C15177))
  %t29 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t28, <4 x double> %t13, <4 x double> splat (double 0x3FA555555555554C))
  %t30 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t29, <4 x double> %t13, <4 x double> splat (double 0xBFE0000000000000))
  %t31 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t13, <4 x double> %t30, <4 x double> splat (double 0x3FF0000000000000))
  %t32 = bitcast <4 x double> %t31 to <4 x i64>
  %t33 = bitcast <4 x double> %t8 to <4 x i64>
  %t34 = and <4 x i64> %t33, splat (i64 1)
  %t35 = icmp ne <4 x i64> %t34, splat (i64 0)
  %t36 = shl <4 x i64> %t33, splat (i64 62)
  %t37 = and <4 x i64> %t36, splat (i64 -9223372036854775808)
  %t38 = select <4 x i1> %t35, <4 x i64> %t32, <4 x i64> %t24
  %t39 = xor <4 x i64> %t24, splat (i64 -9223372036854775808)
  %t40 = select <4 x i1> %t35, <4 x i64> %t39, <4 x i64> %t32
  %t41 = xor <4 x i64> %t38, %t37
  %t42 = bitcast <4 x i64> %t41 to <4 x double>
  %t43 = xor <4 x i64> %t40, %t37
  %t44 = bitcast <4 x i64> %t43 to <4 x double>
  %t45 = call <4 x double> @mend(<4 x double> %x, <4 x double> %t42, i64 1)
  %t46 = insertvalue { <4 x double>, <4 x double> } poison, <4 x double> %t45, 0
  %t47 = call <4 x double> @mend(<4 x double> %x, <4 x double> %t44, i64 2)
  %t48 = insertvalue { <4 x double>, <4 x double> } %t46, <4 x double> %t47, 1
  ret { <4 x double>, <4 x double> } %t48
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
