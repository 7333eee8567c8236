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
  br label %on14
on14:
  %t40 = phi <4 x double> [ %t37, %rows12 ], [ %t39, %columns13 ]
  %t41 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t40, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000010000))
  %t42 = bitcast <4 x double> %t41 to <4 x i64>
  %t43 = xor <4 x i64> %t42, splat (i64 4843621399236968448)
  %t44 = or <4 x i64> splat (i64 0), %t43
  %t45 = and <4 x i64> %t44, splat (i64 -131072)
  %t46 = icmp ne <4 x i64> %t45, splat (i64 0)
  %t47 = bitcast <4 x i1> %t46 to i4
  %t48 = icmp ne i4 %t47, 0
  br i1 %t48, label %slow50, label %fast49, !prof !0
fast49:
  %t52 = fsub <4 x double> %t41, splat (double 0x4338000000010000)
  %t53 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t52, <4 x double> splat (double 0xBFF921FB54442D18), <4 x double> %t40)
  %t54 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t52, <4 x double> splat (double 0xBC91A62633145C06), <4 x double> %t53)
  %t55 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t52, <4 x double> splat (double 0xB94C1CD129024E09), <4 x double> %t54)
  %t56 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t55, <4 x double> %t55, <4 x double> splat (double 0x3370000000000000))
  %t57 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3DE5D93A5ACFD57C), <4 x double> %t56, <4 x double> splat (double 0xBE5AE5E68A2B9CEB))
  %t58 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t57, <4 x double> %t56, <4 x double> splat (double 0x3EC71DE357B1FE7D))
  %t59 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t58, <4 x double> %t56, <4 x double> splat (double 0xBF2A01A019C161D5))
  %t60 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t59, <4 x double> %t56, <4 x double> splat (double 0x3F8111111110F8A6))
  %t61 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t60, <4 x double> %t56, <4 x double> splat (double 0xBFC5555555555549))
  %t62 = fmul <4 x double> %t56, %t61
  %t63 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t55, <4 x double> %t62, <4 x double> %t55)
  %t64 = bitcast <4 x double> %t63 to <4 x i64>
  %t65 = bitcast <4 x double> %t55 to <4 x i64>
  %t66 = and <4 x i64> %t65, splat (i64 -9223372036854775808)
  %t67 = or <4 x i64> %t64, %t66
  %t68 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0xBDA8FAE9BE8838D4), <4 x double> %t56, <4 x double> splat (double 0x3E21EE9EBDB4B1C4))
  %t69 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t68, <4 x double> %t56, <4 x double> splat (double 0xBE927E4F809C52AD))
  %t70 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t69, <4 x double> %t56, <4 x double> splat (double 0x3EFA01A019CB1590))
  %t71 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t70, <4 x double> %t56, <4 x double> splat (double 0xBF56C16C16C15177))
  %t72 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t71, <4 x double> %t56, <4 x double> splat (double 0x3FA555555555554C))
  %t73 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t72, <4 x double> %t56, <4 x double> splat (double 0xBFE0000000000000))
  %t74 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t56, <4 x double> %t73, <4 x double> splat (double 0x3FF0000000000000))
  %t75 = bitcast <4 x double> %t74 to <4 x i64>
  %t76 = bitcast <4 x double> %t41 to <4 x i64>
  %t77 = and <4 x i64> %t76, splat (i64 1)
  %t78 = icmp ne <4 x i64> %t77, splat (i64 0)
  %t79 = shl <4 x i64> %t76, splat (i64 62)
  %t80 = and <4 x i64> %t79, splat (i64 -9223372036854775808)
  %t81 = select <4 x i1> %t78, <4 x i64> %t75, <4 x i64> %t67
  %t82 = xor <4 x i64> %t67, splat (i64 -9223372036854775808)
  %t83 = select <4 x i1> %t78, <4 x i64> %t82, <4 x i64> %t75
  %t84 = xor <4 x i64> %t81, %t80
  %t85 = bitcast <4 x i64> %t84 to <4 x double>
  %t86 = xor <4 x i64> %t83, %t80
  %t87 = bitcast <4 x i64> %t86 to <4 x double>
  br label %join51
slow50:
  %t88 = call { <4 x double>, <4 x double> } @sincos(<4 x double> %t40)
  %t89 = extractvalue { <4 x double>, <4 x double> } %t88, 0
  %t90 = extractvalue { <4 x double>, <4 x double> } %t88, 1
  br label %join51
join51:
  %t91 = phi <4 x double> [ %t85, %fast49 ], [ %t89, %slow50 ]
  %t92 = phi <4 x double> [ %t87, %fast49 ], [ %t90, %slow50 ]
  %t93 = fmul <4 x double> splat (double 0x3FD47AE147AE147B), %t92
  %t94 = fmul <4 x double> splat (double 0xBF4A36E2EB1C432D), %t91
  %t95 = fmul <4 x double> splat (double 0x3FD47AE147AE147B), %t91
  %t96 = fmul <4 x double> splat (double 0x3F4A36E2EB1C432D), %t92
  %t97 = fmul <4 x double> %t92, %t93
  %t98 = fneg <4 x double> %t91
  %t99 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t98, <4 x double> %t94, <4 x double> %t97)
  %t100 = fmul <4 x double> %t91, %t95
  %t101 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t92, <4 x double> %t96, <4 x double> %t100)
  %t102 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3FF3333333333333), <4 x double> %t92, <4 x double> %t99)
  %t103 = fadd <4 x double> splat (double 0x4004000000000000), %t102
  %t104 = fadd <4 x double> splat (double 0x3F647AE147AE147B), %t101
  %t105 = fadd <4 x double> %t103, %t104
  %t106 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3FE3333333333333), <4 x double> %t92, <4 x double> splat (double 0x3FD487FCB923A29D))
  %p107 = getelementptr ptr, ptr %args, i64 1
  %p108 = load ptr, ptr %p107
  %p109 = getelementptr i64, ptr %steps, i64 1
  %t110 = load i64, ptr %p109
  %p111 = getelementptr i64, ptr %steps, i64 3
  %t112 = load i64, ptr %p111
  %t113 = mul i64 %row, %t110
  %p114 = getelementptr i8, ptr %p108, i64 %t113
  %t118 = icmp eq i64 %t112, 8
  br i1 %t118, label %rows115, label %columns116
rows115:
  %t119 = select i1 %more1, i64 %t110, i64 0
  %p120 = getelementptr i8, ptr %p114, i64 %t119
  %t121 = select i1 %more2, i64 %t110, i64 0
  %p122 = getelementptr i8, ptr %p120, i64 %t121
  %t123 = select i1 %more3, i64 %t110, i64 0
  %p124 = getelementptr i8, ptr %p122, i64 %t123
  %p125 = getelementptr i8, ptr %p114, i64 0
  %p126 = getelementptr i8, ptr %p120, i64 0
  %p127 = getelementptr i8, ptr %p122, i64 0
  %p128 = getelementptr i8, ptr %p124, i64 0
  %t129 = shufflevector <4 x double> %t105, <4 x double> %t106, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t130 = shufflevector <4 x double> %t105, <4 x double> %t106, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t131 = shufflevector <4 x double> %t106, <4 x double> splat (double 0x3FD487FCB923A29D), <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t132 = shufflevector <4 x double> %t106, <4 x double> splat (double 0x3FD487FCB923A29D), <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t133 = shufflevector <4 x double> %t129, <4 x double> %t131, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t134 = shufflevector <4 x double> %t129, <4 x double> %t131, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t135 = shufflevector <4 x double> %t130, <4 x double> %t132, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t136 = shufflevector <4 x double> %t130, <4 x double> %t132, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  store <4 x double> %t133, ptr %p125, align 8
  store <4 x double> %t135, ptr %p126, align 8
  store <4 x double> %t134, ptr %p127, align 8
  store <4 x double> %t136, ptr %p128, align 8
  br label %on117
columns116:
  store <4 x double> %t105, ptr %p114, align 8
  %p137 = getelementptr i8, ptr %p114, i64 %t112
  store <4 x double> %t106, ptr %p137, align 8
  %p138 = getelementptr i8, ptr %p137, i64 %t112
  store <4 x double> %t106, ptr %p138, align 8
  %p139 = getelementptr i8, ptr %p138, i64 %t112
  store <4 x double> splat (double 0x3FD487FCB923A29D), ptr %p139, align 8
  br label %on117
on117:
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
