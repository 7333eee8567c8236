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
  %t26 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p22, i32 8, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t27 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p23, i32 8, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t28 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p24, i32 8, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t29 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p25, i32 8, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t30 = shufflevector <4 x double> %t26, <4 x double> %t28, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t31 = shufflevector <4 x double> %t26, <4 x double> %t28, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t32 = shufflevector <4 x double> %t27, <4 x double> %t29, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t33 = shufflevector <4 x double> %t27, <4 x double> %t29, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t34 = shufflevector <4 x double> %t30, <4 x double> %t32, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t35 = shufflevector <4 x double> %t30, <4 x double> %t32, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t36 = shufflevector <4 x double> %t31, <4 x double> %t33, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t37 = shufflevector <4 x double> %t31, <4 x double> %t33, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  br label %on14
columns13:
  %p38 = getelementptr i8, ptr %p11, i64 %t9
  %t39 = load <4 x double>, ptr %p38, align 8
  %p40 = getelementptr i8, ptr %p38, i64 256
  call void @llvm.prefetch.p0(ptr %p40, i32 0, i32 2, i32 1)
  br label %on14
on14:
  %t41 = phi <4 x double> [ %t35, %rows12 ], [ %t39, %columns13 ]
  %t42 = bitcast <4 x double> %t41 to <4 x i64>
  %t43 = and <4 x i64> %t42, splat (i64 9223372036854775807)
  %t44 = icmp ugt <4 x i64> %t43, splat (i64 4681608360884174848)
  %t45 = select <4 x i1> %t44, <4 x double> splat (double 0x0000000000000000), <4 x double> %t41
  %t46 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t45, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %t47 = fsub <4 x double> %t46, splat (double 0x4338000000000000)
  %t48 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t47, <4 x double> splat (double 0xBFF921FB54400000), <4 x double> %t45)
  %t49 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t47, <4 x double> splat (double 0xBDD0B4611A600000), <4 x double> %t48)
  %t50 = fsub <4 x double> %t48, %t49
  %t51 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t47, <4 x double> splat (double 0xBDD0B4611A600000), <4 x double> %t50)
  %t52 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t47, <4 x double> splat (double 0xBBA3198A2E037073), <4 x double> %t51)
  %t53 = fadd <4 x double> %t49, %t52
  %t54 = bitcast <4 x double> %t46 to <4 x i64>
  %t55 = bitcast <4 x double> %t41 to <4 x i64>
  %t56 = and <4 x i64> %t55, splat (i64 9223372036854775807)
  %t57 = icmp ult <4 x i64> %t56, splat (i64 4485585228861014016)
  %t58 = select <4 x i1> %t57, <4 x double> %t41, <4 x double> %t53
  %t59 = select <4 x i1> %t57, <4 x double> splat (double 0x0000000000000000), <4 x double> %t53
  %t60 = fmul <4 x double> %t59, %t59
  %t61 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3DE5D93A5ACFD57C), <4 x double> %t60, <4 x double> splat (double 0xBE5AE5E68A2B9CEB))
  %t62 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t61, <4 x double> %t60, <4 x double> splat (double 0x3EC71DE357B1FE7D))
  %t63 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t62, <4 x double> %t60, <4 x double> splat (double 0xBF2A01A019C161D5))
  %t64 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t63, <4 x double> %t60, <4 x double> splat (double 0x3F8111111110F8A6))
  %t65 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t64, <4 x double> %t60, <4 x double> splat (double 0xBFC5555555555549))
  %t66 = fmul <4 x double> %t60, %t65
  %t67 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t59, <4 x double> %t66, <4 x double> %t58)
  %t68 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0xBDA8FAE9BE8838D4), <4 x double> %t60, <4 x double> splat (double 0x3E21EE9EBDB4B1C4))
  %t69 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t68, <4 x double> %t60, <4 x double> splat (double 0xBE927E4F809C52AD))
  %t70 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t69, <4 x double> %t60, <4 x double> splat (double 0x3EFA01A019CB1590))
  %t71 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t70, <4 x double> %t60, <4 x double> splat (double 0xBF56C16C16C15177))
  %t72 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t71, <4 x double> %t60, <4 x double> splat (double 0x3FA555555555554C))
  %t73 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t72, <4 x double> %t60, <4 x double> splat (double 0xBFE0000000000000))
  %t74 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t60, <4 x double> %t73, <4 x double> splat (double 0x3FF0000000000000))
  %t75 = and <4 x i64> %t54, splat (i64 1)
  %t76 = icmp ne <4 x i64> %t75, splat (i64 0)
  %t77 = shl <4 x i64> %t54, splat (i64 62)
  %t78 = and <4 x i64> %t77, splat (i64 -9223372036854775808)
  %t79 = add <4 x i64> %t54, splat (i64 1)
  %t80 = shl <4 x i64> %t79, splat (i64 62)
  %t81 = and <4 x i64> %t80, splat (i64 -9223372036854775808)
  %t82 = select <4 x i1> %t76, <4 x double> %t74, <4 x double> %t67
  %t83 = bitcast <4 x double> %t82 to <4 x i64>
  %t84 = xor <4 x i64> %t83, %t78
  %t85 = bitcast <4 x i64> %t84 to <4 x double>
  %t86 = select <4 x i1> %t76, <4 x double> %t67, <4 x double> %t74
  %t87 = bitcast <4 x double> %t86 to <4 x i64>
  %t88 = xor <4 x i64> %t87, %t81
  %t89 = bitcast <4 x i64> %t88 to <4 x double>
  %t90 = bitcast <4 x i1> %t44 to i4
  %t91 = icmp ne i4 %t90, 0
  br label %fast92
fast92:
  br i1 %t91, label %slow93, label %join94, !prof !0
slow93:
  %t95 = call <4 x double> @mend(<4 x double> %t41, <4 x double> %t85, i64 1)
  %t96 = call <4 x double> @mend(<4 x double> %t41, <4 x double> %t89, i64 2)
  br label %join94
join94:
  %t97 = phi <4 x double> [ %t85, %fast92 ], [ %t95, %slow93 ]
  %t98 = phi <4 x double> [ %t89, %fast92 ], [ %t96, %slow93 ]
  %t99 = fmul <4 x double> splat (double 0x3FD47AE147AE147B), %t98
  %t100 = fmul <4 x double> splat (double 0xBF4A36E2EB1C432D), %t97
  %t101 = fmul <4 x double> splat (double 0x3FD47AE147AE147B), %t97
  %t102 = fmul <4 x double> splat (double 0x3F4A36E2EB1C432D), %t98
  %t103 = fmul <4 x double> %t98, %t99
  %t104 = fneg <4 x double> %t97
  %t105 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t104, <4 x double> %t100, <4 x double> %t103)
  %t106 = fmul <4 x double> %t97, %t101
  %t107 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t98, <4 x double> %t102, <4 x double> %t106)
  %t108 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3FF3333333333333), <4 x double> %t98, <4 x double> %t105)
  %t109 = fadd <4 x double> splat (double 0x4004000000000000), %t108
  %t110 = fadd <4 x double> splat (double 0x3F647AE147AE147B), %t107
  %t111 = fadd <4 x double> %t109, %t110
  %t112 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3FE3333333333333), <4 x double> %t98, <4 x double> splat (double 0x3FD487FCB923A29D))
  %p113 = getelementptr ptr, ptr %args, i64 1
  %p114 = load ptr, ptr %p113
  %p115 = getelementptr i64, ptr %steps, i64 1
  %t116 = load i64, ptr %p115
  %p117 = getelementptr i64, ptr %steps, i64 3
  %t118 = load i64, ptr %p117
  %t119 = mul i64 %row, %t116
  %p120 = getelementptr i8, ptr %p114, i64 %t119
  %t124 = icmp eq i64 %t118, 8
  br i1 %t124, label %rows121, label %columns122
rows121:
  %t125 = select i1 %more1, i64 %t116, i64 0
  %p126 = getelementptr i8, ptr %p120, i64 %t125
  %t127 = select i1 %more2, i64 %t116, i64 0
  %p128 = getelementptr i8, ptr %p126, i64 %t127
  %t129 = select i1 %more3, i64 %t116, i64 0
  %p130 = getelementptr i8, ptr %p128, i64 %t129
  %t131 = shufflevector <4 x double> %t111, <4 x double> %t112, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t132 = shufflevector <4 x double> %t111, <4 x double> %t112, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t133 = shufflevector <4 x double> %t112, <4 x double> splat (double 0x3FD487FCB923A29D), <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t134 = shufflevector <4 x double> %t112, <4 x double> splat (double 0x3FD487FCB923A29D), <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t135 = shufflevector <4 x double> %t131, <4 x double> %t133, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t136 = shufflevector <4 x double> %t131, <4 x double> %t133, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t137 = shufflevector <4 x double> %t132, <4 x double> %t134, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t138 = shufflevector <4 x double> %t132, <4 x double> %t134, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %p139 = getelementptr i8, ptr %p120, i64 0
  store <4 x double> %t135, ptr %p139, align 8
  %p140 = getelementptr i8, ptr %p126, i64 0
  store <4 x double> %t136, ptr %p140, align 8
  %p141 = getelementptr i8, ptr %p128, i64 0
  store <4 x double> %t137, ptr %p141, align 8
  %p142 = getelementptr i8, ptr %p130, i64 0
  store <4 x double> %t138, ptr %p142, align 8
  br label %on123
columns122:
  store <4 x double> %t111, ptr %p120, align 8
  %p143 = getelementptr i8, ptr %p120, i64 %t118
  store <4 x double> %t112, ptr %p143, align 8
  %p144 = getelementptr i8, ptr %p143, i64 %t118
  store <4 x double> %t112, ptr %p144, align 8
  %p145 = getelementptr i8, ptr %p144, i64 %t118
  store <4 x double> splat (double 0x3FD487FCB923A29D), ptr %p145, align 8
  br label %on123
on123:
  ret void
}

define internal <4 x double> @mend(<4 x double> %x, <4 x double> %quick, i64 %f) noinline cold {
entry:
  %t1 = bitcast <4 x double> %x to <4 x i64>
  %t2 = and <4 x i64> %t1, splat (i64 9223372036854775807)
  %t3 = icmp ugt <4 x i64> %t2, splat (i64 4681608360884174848)
  %xs = alloca <4 x double>, align 64
  %qs = alloca <4 x double>, align 64
  %bs = alloca [4 x i8], align 64
  store <4 x double> %x, ptr %xs, align 64
  store <4 x double> %quick, ptr %qs, align 64
  %t4 = zext <4 x i1> %t3 to <4 x i8>
  store <4 x i8> %t4, ptr %bs, align 64
  %t5 = getelementptr ptr, ptr @chasles_table, i64 %f
  %t6 = load ptr, ptr %t5
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
    %exact = call double %t6(double %value)
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
declare <4 x double> @llvm.masked.load.v4f64.p0(ptr, i32, <4 x i1>, <4 x double>)
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
