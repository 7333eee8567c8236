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
  %t8 = mul i64 %row, %t7
  %p9 = getelementptr i8, ptr %p5, i64 %t8
  %t10 = select i1 %more1, i64 %t7, i64 0
  %p11 = getelementptr i8, ptr %p9, i64 %t10
  %t12 = select i1 %more2, i64 %t7, i64 0
  %p13 = getelementptr i8, ptr %p11, i64 %t12
  %t14 = select i1 %more3, i64 %t7, i64 0
  %p15 = getelementptr i8, ptr %p13, i64 %t14
  %p16 = getelementptr i8, ptr %p9, i64 0
  %t17 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p16, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %p18 = getelementptr i8, ptr %p11, i64 0
  %t19 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p18, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %p20 = getelementptr i8, ptr %p13, i64 0
  %t21 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p20, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %p22 = getelementptr i8, ptr %p15, i64 0
  %t23 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p22, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t24 = shufflevector <4 x double> %t17, <4 x double> %t21, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t25 = shufflevector <4 x double> %t17, <4 x double> %t21, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t26 = shufflevector <4 x double> %t19, <4 x double> %t23, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t27 = shufflevector <4 x double> %t19, <4 x double> %t23, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t28 = shufflevector <4 x double> %t24, <4 x double> %t26, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t29 = shufflevector <4 x double> %t24, <4 x double> %t26, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t30 = shufflevector <4 x double> %t25, <4 x double> %t27, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t31 = shufflevector <4 x double> %t25, <4 x double> %t27, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %p32 = getelementptr ptr, ptr %args, i64 2
  %p33 = load ptr, ptr %p32
  %p34 = getelementptr i64, ptr %steps, i64 2
  %t35 = load i64, ptr %p34
  %t36 = mul i64 %row, %t35
  %p37 = getelementptr i8, ptr %p33, i64 %t36
  %t38 = select i1 %more1, i64 %t35, i64 0
  %p39 = getelementptr i8, ptr %p37, i64 %t38
  %t40 = select i1 %more2, i64 %t35, i64 0
  %p41 = getelementptr i8, ptr %p39, i64 %t40
  %t42 = select i1 %more3, i64 %t35, i64 0
  %p43 = getelementptr i8, ptr %p41, i64 %t42
  %p44 = getelementptr i8, ptr %p37, i64 0
  %t45 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p44, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %p46 = getelementptr i8, ptr %p39, i64 0
  %t47 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p46, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %p48 = getelementptr i8, ptr %p41, i64 0
  %t49 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p48, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %p50 = getelementptr i8, ptr %p43, i64 0
  %t51 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p50, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t52 = shufflevector <4 x double> %t45, <4 x double> %t49, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t53 = shufflevector <4 x double> %t45, <4 x double> %t49, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t54 = shufflevector <4 x double> %t47, <4 x double> %t51, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t55 = shufflevector <4 x double> %t47, <4 x double> %t51, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t56 = shufflevector <4 x double> %t52, <4 x double> %t54, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t57 = shufflevector <4 x double> %t52, <4 x double> %t54, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t58 = shufflevector <4 x double> %t53, <4 x double> %t55, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t59 = shufflevector <4 x double> %t53, <4 x double> %t55, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t60 = bitcast <4 x double> %t28 to <4 x i64>
  %t61 = and <4 x i64> %t60, splat (i64 9223372036854775807)
  %t62 = icmp ugt <4 x i64> %t61, splat (i64 4681608360884174848)
  %t63 = select <4 x i1> %t62, <4 x double> splat (double 0x0000000000000000), <4 x double> %t28
  %t64 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t63, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %t65 = fsub <4 x double> %t64, splat (double 0x4338000000000000)
  %t66 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t65, <4 x double> splat (double 0xBFF921FB54400000), <4 x double> %t63)
  %t67 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t65, <4 x double> splat (double 0xBDD0B4611A600000), <4 x double> %t66)
  %t68 = fsub <4 x double> %t66, %t67
  %t69 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t65, <4 x double> splat (double 0xBDD0B4611A600000), <4 x double> %t68)
  %t70 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t65, <4 x double> splat (double 0xBBA3198A2E037073), <4 x double> %t69)
  %t71 = fadd <4 x double> %t67, %t70
  %t72 = bitcast <4 x double> %t64 to <4 x i64>
  %t73 = bitcast <4 x double> %t28 to <4 x i64>
  %t74 = and <4 x i64> %t73, splat (i64 9223372036854775807)
  %t75 = icmp ult <4 x i64> %t74, splat (i64 4485585228861014016)
  %t76 = select <4 x i1> %t75, <4 x double> %t28, <4 x double> %t71
  %t77 = select <4 x i1> %t75, <4 x double> splat (double 0x0000000000000000), <4 x double> %t71
  %t78 = fmul <4 x double> %t77, %t77
  %t79 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3DE5D93A5ACFD57C), <4 x double> %t78, <4 x double> splat (double 0xBE5AE5E68A2B9CEB))
  %t80 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t79, <4 x double> %t78, <4 x double> splat (double 0x3EC71DE357B1FE7D))
  %t81 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t80, <4 x double> %t78, <4 x double> splat (double 0xBF2A01A019C161D5))
  %t82 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t81, <4 x double> %t78, <4 x double> splat (double 0x3F8111111110F8A6))
  %t83 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t82, <4 x double> %t78, <4 x double> splat (double 0xBFC5555555555549))
  %t84 = fmul <4 x double> %t78, %t83
  %t85 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t77, <4 x double> %t84, <4 x double> %t76)
  %t86 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0xBDA8FAE9BE8838D4), <4 x double> %t78, <4 x double> splat (double 0x3E21EE9EBDB4B1C4))
  %t87 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t86, <4 x double> %t78, <4 x double> splat (double 0xBE927E4F809C52AD))
  %t88 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t87, <4 x double> %t78, <4 x double> splat (double 0x3EFA01A019CB1590))
  %t89 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t88, <4 x double> %t78, <4 x double> splat (double 0xBF56C16C16C15177))
  %t90 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t89, <4 x double> %t78, <4 x double> splat (double 0x3FA555555555554C))
  %t91 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t90, <4 x double> %t78, <4 x double> splat (double 0xBFE0000000000000))
  %t92 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t78, <4 x double> %t91, <4 x double> splat (double 0x3FF0000000000000))
  %t93 = and <4 x i64> %t72, splat (i64 1)
  %t94 = icmp ne <4 x i64> %t93, splat (i64 0)
  %t95 = shl <4 x i64> %t72, splat (i64 62)
  %t96 = and <4 x i64> %t95, splat (i64 -9223372036854775808)
  %t97 = add <4 x i64> %t72, splat (i64 1)
  %t98 = shl <4 x i64> %t97, splat (i64 62)
  %t99 = and <4 x i64> %t98, splat (i64 -9223372036854775808)
  %t100 = select <4 x i1> %t94, <4 x double> %t92, <4 x double> %t85
  %t101 = bitcast <4 x double> %t100 to <4 x i64>
  %t102 = xor <4 x i64> %t101, %t96
  %t103 = bitcast <4 x i64> %t102 to <4 x double>
  %t104 = select <4 x i1> %t94, <4 x double> %t85, <4 x double> %t92
  %t105 = bitcast <4 x double> %t104 to <4 x i64>
  %t106 = xor <4 x i64> %t105, %t99
  %t107 = bitcast <4 x i64> %t106 to <4 x double>
  %t108 = bitcast <4 x i1> %t62 to i4
  %t109 = icmp ne i4 %t108, 0
  br label %fast110
fast110:
  br i1 %t109, label %slow111, label %join112, !prof !0
slow111:
  %t113 = call <4 x double> @mend(<4 x double> %t28, <4 x double> %t103, i64 1)
  %t114 = call <4 x double> @mend(<4 x double> %t28, <4 x double> %t107, i64 2)
  br label %join112
join112:
  %t115 = phi <4 x double> [ %t103, %fast110 ], [ %t113, %slow111 ]
  %t116 = phi <4 x double> [ %t107, %fast110 ], [ %t114, %slow111 ]
  %t117 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x40239EB851EB851F), <4 x double> %t115, <4 x double> %t56)
  %p118 = getelementptr ptr, ptr %args, i64 3
  %p119 = load ptr, ptr %p118
  %p120 = getelementptr i64, ptr %steps, i64 3
  %t121 = load i64, ptr %p120
  %t122 = mul i64 %row, %t121
  %p123 = getelementptr i8, ptr %p119, i64 %t122
  %t124 = select i1 %more1, i64 %t121, i64 0
  %p125 = getelementptr i8, ptr %p123, i64 %t124
  %t126 = select i1 %more2, i64 %t121, i64 0
  %p127 = getelementptr i8, ptr %p125, i64 %t126
  %t128 = select i1 %more3, i64 %t121, i64 0
  %p129 = getelementptr i8, ptr %p127, i64 %t128
  %t130 = shufflevector <4 x double> %t117, <4 x double> splat (double 0x0000000000000000), <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t131 = shufflevector <4 x double> %t117, <4 x double> splat (double 0x0000000000000000), <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t132 = shufflevector <4 x double> splat (double 0x0000000000000000), <4 x double> splat (double 0x0000000000000000), <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t133 = shufflevector <4 x double> splat (double 0x0000000000000000), <4 x double> splat (double 0x0000000000000000), <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t134 = shufflevector <4 x double> %t130, <4 x double> %t132, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t135 = shufflevector <4 x double> %t130, <4 x double> %t132, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t136 = shufflevector <4 x double> %t131, <4 x double> %t133, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t137 = shufflevector <4 x double> %t131, <4 x double> %t133, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %p138 = getelementptr i8, ptr %p123, i64 0
  call void @llvm.masked.store.v4f64.p0(<4 x double> %t134, ptr %p138, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>)
  %p139 = getelementptr i8, ptr %p125, i64 0
  call void @llvm.masked.store.v4f64.p0(<4 x double> %t135, ptr %p139, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>)
  %p140 = getelementptr i8, ptr %p127, i64 0
  call void @llvm.masked.store.v4f64.p0(<4 x double> %t136, ptr %p140, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>)
  %p141 = getelementptr i8, ptr %p129, i64 0
  call void @llvm.masked.store.v4f64.p0(<4 x double> %t137, ptr %p141, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>)
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
