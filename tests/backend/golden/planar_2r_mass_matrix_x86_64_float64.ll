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
  %t17 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p16, i32 8, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x double> zeroinitializer)
  %p18 = getelementptr i8, ptr %p11, i64 0
  %t19 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p18, i32 8, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x double> zeroinitializer)
  %p20 = getelementptr i8, ptr %p13, i64 0
  %t21 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p20, i32 8, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x double> zeroinitializer)
  %p22 = getelementptr i8, ptr %p15, i64 0
  %t23 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p22, i32 8, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t24 = shufflevector <4 x double> %t17, <4 x double> %t21, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t25 = shufflevector <4 x double> %t17, <4 x double> %t21, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t26 = shufflevector <4 x double> %t19, <4 x double> %t23, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t27 = shufflevector <4 x double> %t19, <4 x double> %t23, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t28 = shufflevector <4 x double> %t24, <4 x double> %t26, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t29 = shufflevector <4 x double> %t24, <4 x double> %t26, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t30 = shufflevector <4 x double> %t25, <4 x double> %t27, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t31 = shufflevector <4 x double> %t25, <4 x double> %t27, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t32 = bitcast <4 x double> %t29 to <4 x i64>
  %t33 = and <4 x i64> %t32, splat (i64 9223372036854775807)
  %t34 = icmp ugt <4 x i64> %t33, splat (i64 4681608360884174848)
  %t35 = select <4 x i1> %t34, <4 x double> splat (double 0x0000000000000000), <4 x double> %t29
  %t36 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t35, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %t37 = fsub <4 x double> %t36, splat (double 0x4338000000000000)
  %t38 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t37, <4 x double> splat (double 0xBFF921FB54400000), <4 x double> %t35)
  %t39 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t37, <4 x double> splat (double 0xBDD0B4611A600000), <4 x double> %t38)
  %t40 = fsub <4 x double> %t38, %t39
  %t41 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t37, <4 x double> splat (double 0xBDD0B4611A600000), <4 x double> %t40)
  %t42 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t37, <4 x double> splat (double 0xBBA3198A2E037073), <4 x double> %t41)
  %t43 = fadd <4 x double> %t39, %t42
  %t44 = bitcast <4 x double> %t36 to <4 x i64>
  %t45 = bitcast <4 x double> %t29 to <4 x i64>
  %t46 = and <4 x i64> %t45, splat (i64 9223372036854775807)
  %t47 = icmp ult <4 x i64> %t46, splat (i64 4485585228861014016)
  %t48 = select <4 x i1> %t47, <4 x double> %t29, <4 x double> %t43
  %t49 = select <4 x i1> %t47, <4 x double> splat (double 0x0000000000000000), <4 x double> %t43
  %t50 = fmul <4 x double> %t49, %t49
  %t51 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3DE5D93A5ACFD57C), <4 x double> %t50, <4 x double> splat (double 0xBE5AE5E68A2B9CEB))
  %t52 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t51, <4 x double> %t50, <4 x double> splat (double 0x3EC71DE357B1FE7D))
  %t53 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t52, <4 x double> %t50, <4 x double> splat (double 0xBF2A01A019C161D5))
  %t54 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t53, <4 x double> %t50, <4 x double> splat (double 0x3F8111111110F8A6))
  %t55 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t54, <4 x double> %t50, <4 x double> splat (double 0xBFC5555555555549))
  %t56 = fmul <4 x double> %t50, %t55
  %t57 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t49, <4 x double> %t56, <4 x double> %t48)
  %t58 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0xBDA8FAE9BE8838D4), <4 x double> %t50, <4 x double> splat (double 0x3E21EE9EBDB4B1C4))
  %t59 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t58, <4 x double> %t50, <4 x double> splat (double 0xBE927E4F809C52AD))
  %t60 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t59, <4 x double> %t50, <4 x double> splat (double 0x3EFA01A019CB1590))
  %t61 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t60, <4 x double> %t50, <4 x double> splat (double 0xBF56C16C16C15177))
  %t62 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t61, <4 x double> %t50, <4 x double> splat (double 0x3FA555555555554C))
  %t63 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t62, <4 x double> %t50, <4 x double> splat (double 0xBFE0000000000000))
  %t64 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t50, <4 x double> %t63, <4 x double> splat (double 0x3FF0000000000000))
  %t65 = and <4 x i64> %t44, splat (i64 1)
  %t66 = icmp ne <4 x i64> %t65, splat (i64 0)
  %t67 = shl <4 x i64> %t44, splat (i64 62)
  %t68 = and <4 x i64> %t67, splat (i64 -9223372036854775808)
  %t69 = add <4 x i64> %t44, splat (i64 1)
  %t70 = shl <4 x i64> %t69, splat (i64 62)
  %t71 = and <4 x i64> %t70, splat (i64 -9223372036854775808)
  %t72 = select <4 x i1> %t66, <4 x double> %t64, <4 x double> %t57
  %t73 = bitcast <4 x double> %t72 to <4 x i64>
  %t74 = xor <4 x i64> %t73, %t68
  %t75 = bitcast <4 x i64> %t74 to <4 x double>
  %t76 = select <4 x i1> %t66, <4 x double> %t57, <4 x double> %t64
  %t77 = bitcast <4 x double> %t76 to <4 x i64>
  %t78 = xor <4 x i64> %t77, %t71
  %t79 = bitcast <4 x i64> %t78 to <4 x double>
  %t80 = bitcast <4 x i1> %t34 to i4
  %t81 = icmp ne i4 %t80, 0
  br label %fast82
fast82:
  br i1 %t81, label %slow83, label %join84, !prof !0
slow83:
  %t85 = call <4 x double> @mend(<4 x double> %t29, <4 x double> %t75, i64 1)
  %t86 = call <4 x double> @mend(<4 x double> %t29, <4 x double> %t79, i64 2)
  br label %join84
join84:
  %t87 = phi <4 x double> [ %t75, %fast82 ], [ %t85, %slow83 ]
  %t88 = phi <4 x double> [ %t79, %fast82 ], [ %t86, %slow83 ]
  %t89 = fmul <4 x double> splat (double 0x3FD47AE147AE147B), %t88
  %t90 = fmul <4 x double> splat (double 0xBF4A36E2EB1C432D), %t87
  %t91 = fmul <4 x double> splat (double 0x3FD47AE147AE147B), %t87
  %t92 = fmul <4 x double> splat (double 0x3F4A36E2EB1C432D), %t88
  %t93 = fmul <4 x double> %t88, %t89
  %t94 = fneg <4 x double> %t87
  %t95 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t94, <4 x double> %t90, <4 x double> %t93)
  %t96 = fmul <4 x double> %t87, %t91
  %t97 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t88, <4 x double> %t92, <4 x double> %t96)
  %t98 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3FF3333333333333), <4 x double> %t88, <4 x double> %t95)
  %t99 = fadd <4 x double> splat (double 0x4004000000000000), %t98
  %t100 = fadd <4 x double> splat (double 0x3F647AE147AE147B), %t97
  %t101 = fadd <4 x double> %t99, %t100
  %t102 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3FE3333333333333), <4 x double> %t88, <4 x double> splat (double 0x3FD487FCB923A29D))
  %p103 = getelementptr ptr, ptr %args, i64 1
  %p104 = load ptr, ptr %p103
  %p105 = getelementptr i64, ptr %steps, i64 1
  %t106 = load i64, ptr %p105
  %t107 = mul i64 %row, %t106
  %p108 = getelementptr i8, ptr %p104, i64 %t107
  %t109 = select i1 %more1, i64 %t106, i64 0
  %p110 = getelementptr i8, ptr %p108, i64 %t109
  %t111 = select i1 %more2, i64 %t106, i64 0
  %p112 = getelementptr i8, ptr %p110, i64 %t111
  %t113 = select i1 %more3, i64 %t106, i64 0
  %p114 = getelementptr i8, ptr %p112, i64 %t113
  %t115 = shufflevector <4 x double> %t101, <4 x double> %t102, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t116 = shufflevector <4 x double> %t101, <4 x double> %t102, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t117 = shufflevector <4 x double> %t102, <4 x double> splat (double 0x3FD487FCB923A29D), <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t118 = shufflevector <4 x double> %t102, <4 x double> splat (double 0x3FD487FCB923A29D), <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t119 = shufflevector <4 x double> %t115, <4 x double> %t117, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t120 = shufflevector <4 x double> %t115, <4 x double> %t117, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t121 = shufflevector <4 x double> %t116, <4 x double> %t118, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t122 = shufflevector <4 x double> %t116, <4 x double> %t118, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %p123 = getelementptr i8, ptr %p108, i64 0
  store <4 x double> %t119, ptr %p123, align 8
  %p124 = getelementptr i8, ptr %p110, i64 0
  store <4 x double> %t120, ptr %p124, align 8
  %p125 = getelementptr i8, ptr %p112, i64 0
  store <4 x double> %t121, ptr %p125, align 8
  %p126 = getelementptr i8, ptr %p114, i64 0
  store <4 x double> %t122, ptr %p126, align 8
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
