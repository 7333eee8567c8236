target triple = "aarch64-unknown-linux-gnu"

@chasles_table = global [17 x ptr] zeroinitializer

define internal void @segment0(ptr noalias %args, ptr noalias %steps, i64 %row, i64 %valid, ptr noalias %scratch) noinline alignstack(16) {
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
  %t15 = icmp eq i64 %t9, 4
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
  %t26 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %p22, i32 4, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x float> zeroinitializer)
  %t27 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %p23, i32 4, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x float> zeroinitializer)
  %t28 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %p24, i32 4, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x float> zeroinitializer)
  %t29 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %p25, i32 4, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x float> zeroinitializer)
  %t30 = shufflevector <4 x float> %t26, <4 x float> %t28, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t31 = shufflevector <4 x float> %t26, <4 x float> %t28, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t32 = shufflevector <4 x float> %t27, <4 x float> %t29, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t33 = shufflevector <4 x float> %t27, <4 x float> %t29, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t34 = shufflevector <4 x float> %t30, <4 x float> %t32, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t35 = shufflevector <4 x float> %t30, <4 x float> %t32, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t36 = shufflevector <4 x float> %t31, <4 x float> %t33, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t37 = shufflevector <4 x float> %t31, <4 x float> %t33, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  br label %on14
columns13:
  %p38 = getelementptr i8, ptr %p11, i64 %t9
  %t39 = load <4 x float>, ptr %p38, align 4
  br label %on14
on14:
  %t40 = phi <4 x float> [ %t35, %rows12 ], [ %t39, %columns13 ]
  %t41 = bitcast <4 x float> %t40 to <4 x i32>
  %t42 = and <4 x i32> %t41, splat (i32 2147483647)
  %t43 = icmp ugt <4 x i32> %t42, splat (i32 1203982336)
  %t44 = select <4 x i1> %t43, <4 x float> splat (float 0x0000000000000000), <4 x float> %t40
  %t45 = fpext <4 x float> %t44 to <4 x double>
  %t46 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t45, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %t47 = fsub <4 x double> %t46, splat (double 0x4338000000000000)
  %t48 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t47, <4 x double> splat (double 0xBFF921FB54400000), <4 x double> %t45)
  %t49 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t47, <4 x double> splat (double 0xBDD0B4611A600000), <4 x double> %t48)
  %t50 = bitcast <4 x double> %t46 to <4 x i64>
  %t51 = fptrunc <4 x double> %t49 to <4 x float>
  %t52 = trunc <4 x i64> %t50 to <4 x i32>
  %t53 = bitcast <4 x float> %t40 to <4 x i32>
  %t54 = and <4 x i32> %t53, splat (i32 2147483647)
  %t55 = icmp ult <4 x i32> %t54, splat (i32 964689920)
  %t56 = select <4 x i1> %t55, <4 x float> %t40, <4 x float> %t51
  %t57 = select <4 x i1> %t55, <4 x float> splat (float 0x0000000000000000), <4 x float> %t51
  %t58 = fmul <4 x float> %t57, %t57
  %t59 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0xBF29943F20000000), <4 x float> %t58, <4 x float> splat (float 0x3F811073C0000000))
  %t60 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t59, <4 x float> %t58, <4 x float> splat (float 0xBFC5555460000000))
  %t61 = fmul <4 x float> %t58, %t60
  %t62 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t57, <4 x float> %t61, <4 x float> %t56)
  %t63 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3EF99EB9C0000000), <4 x float> %t58, <4 x float> splat (float 0xBF56C0C340000000))
  %t64 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t63, <4 x float> %t58, <4 x float> splat (float 0x3FA55554A0000000))
  %t65 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t64, <4 x float> %t58, <4 x float> splat (float 0xBFE0000000000000))
  %t66 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t58, <4 x float> %t65, <4 x float> splat (float 0x3FF0000000000000))
  %t67 = and <4 x i32> %t52, splat (i32 1)
  %t68 = icmp ne <4 x i32> %t67, splat (i32 0)
  %t69 = shl <4 x i32> %t52, splat (i32 30)
  %t70 = and <4 x i32> %t69, splat (i32 -2147483648)
  %t71 = add <4 x i32> %t52, splat (i32 1)
  %t72 = shl <4 x i32> %t71, splat (i32 30)
  %t73 = and <4 x i32> %t72, splat (i32 -2147483648)
  %t74 = select <4 x i1> %t68, <4 x float> %t66, <4 x float> %t62
  %t75 = bitcast <4 x float> %t74 to <4 x i32>
  %t76 = xor <4 x i32> %t75, %t70
  %t77 = bitcast <4 x i32> %t76 to <4 x float>
  %t78 = select <4 x i1> %t68, <4 x float> %t62, <4 x float> %t66
  %t79 = bitcast <4 x float> %t78 to <4 x i32>
  %t80 = xor <4 x i32> %t79, %t73
  %t81 = bitcast <4 x i32> %t80 to <4 x float>
  %t82 = bitcast <4 x i1> %t43 to i4
  %t83 = icmp ne i4 %t82, 0
  br label %fast84
fast84:
  br i1 %t83, label %slow85, label %join86, !prof !0
slow85:
  %t87 = call <4 x float> @mend(<4 x float> %t40, <4 x float> %t77, i64 1)
  %t88 = call <4 x float> @mend(<4 x float> %t40, <4 x float> %t81, i64 2)
  br label %join86
join86:
  %t89 = phi <4 x float> [ %t77, %fast84 ], [ %t87, %slow85 ]
  %t90 = phi <4 x float> [ %t81, %fast84 ], [ %t88, %slow85 ]
  %t91 = fmul <4 x float> splat (float 0x3FD47AE140000000), %t90
  %t92 = fmul <4 x float> splat (float 0xBF4A36E2E0000000), %t89
  %t93 = fmul <4 x float> splat (float 0x3FD47AE140000000), %t89
  %t94 = fmul <4 x float> splat (float 0x3F4A36E2E0000000), %t90
  %t95 = fmul <4 x float> %t90, %t91
  %t96 = fneg <4 x float> %t89
  %t97 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t96, <4 x float> %t92, <4 x float> %t95)
  %t98 = fmul <4 x float> %t89, %t93
  %t99 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t90, <4 x float> %t94, <4 x float> %t98)
  %t100 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3FF3333340000000), <4 x float> %t90, <4 x float> %t97)
  %t101 = fadd <4 x float> splat (float 0x4004000000000000), %t100
  %t102 = fadd <4 x float> splat (float 0x3F647AE140000000), %t99
  %t103 = fadd <4 x float> %t101, %t102
  %t104 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3FE3333340000000), <4 x float> %t90, <4 x float> splat (float 0x3FD487FCC0000000))
  %p105 = getelementptr ptr, ptr %args, i64 1
  %p106 = load ptr, ptr %p105
  %p107 = getelementptr i64, ptr %steps, i64 1
  %t108 = load i64, ptr %p107
  %p109 = getelementptr i64, ptr %steps, i64 3
  %t110 = load i64, ptr %p109
  %t111 = mul i64 %row, %t108
  %p112 = getelementptr i8, ptr %p106, i64 %t111
  %t116 = icmp eq i64 %t110, 4
  br i1 %t116, label %rows113, label %columns114
rows113:
  %t117 = select i1 %more1, i64 %t108, i64 0
  %p118 = getelementptr i8, ptr %p112, i64 %t117
  %t119 = select i1 %more2, i64 %t108, i64 0
  %p120 = getelementptr i8, ptr %p118, i64 %t119
  %t121 = select i1 %more3, i64 %t108, i64 0
  %p122 = getelementptr i8, ptr %p120, i64 %t121
  %t123 = shufflevector <4 x float> %t103, <4 x float> %t104, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t124 = shufflevector <4 x float> %t103, <4 x float> %t104, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t125 = shufflevector <4 x float> %t104, <4 x float> splat (float 0x3FD487FCC0000000), <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t126 = shufflevector <4 x float> %t104, <4 x float> splat (float 0x3FD487FCC0000000), <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t127 = shufflevector <4 x float> %t123, <4 x float> %t125, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t128 = shufflevector <4 x float> %t123, <4 x float> %t125, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t129 = shufflevector <4 x float> %t124, <4 x float> %t126, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t130 = shufflevector <4 x float> %t124, <4 x float> %t126, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %p131 = getelementptr i8, ptr %p112, i64 0
  store <4 x float> %t127, ptr %p131, align 4
  %p132 = getelementptr i8, ptr %p118, i64 0
  store <4 x float> %t128, ptr %p132, align 4
  %p133 = getelementptr i8, ptr %p120, i64 0
  store <4 x float> %t129, ptr %p133, align 4
  %p134 = getelementptr i8, ptr %p122, i64 0
  store <4 x float> %t130, ptr %p134, align 4
  br label %on115
columns114:
  store <4 x float> %t103, ptr %p112, align 4
  %p135 = getelementptr i8, ptr %p112, i64 %t110
  store <4 x float> %t104, ptr %p135, align 4
  %p136 = getelementptr i8, ptr %p135, i64 %t110
  store <4 x float> %t104, ptr %p136, align 4
  %p137 = getelementptr i8, ptr %p136, i64 %t110
  store <4 x float> splat (float 0x3FD487FCC0000000), ptr %p137, align 4
  br label %on115
on115:
  ret void
}

define internal <4 x float> @mend(<4 x float> %x, <4 x float> %quick, i64 %f) noinline cold {
entry:
  %t1 = bitcast <4 x float> %x to <4 x i32>
  %t2 = and <4 x i32> %t1, splat (i32 2147483647)
  %t3 = icmp ugt <4 x i32> %t2, splat (i32 1203982336)
  %xs = alloca <4 x float>, align 64
  %qs = alloca <4 x float>, align 64
  %bs = alloca [4 x i8], align 64
  store <4 x float> %x, ptr %xs, align 64
  store <4 x float> %quick, ptr %qs, align 64
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
  %xp = getelementptr float, ptr %xs, i64 %lane
  %value = load float, ptr %xp
  %wide = fpext float %value to double
  %exact = call double %t6(double %wide)
  %narrow = fptrunc double %exact to float
  %qp = getelementptr float, ptr %qs, i64 %lane
  store float %narrow, ptr %qp
  br label %step
step:
  %next = add i64 %lane, 1
  %again = icmp ult i64 %next, 4
  br i1 %again, label %loop, label %done
done:
  %mended = load <4 x float>, ptr %qs, align 64
  ret <4 x float> %mended
}

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x float> @llvm.sqrt.v4f32(<4 x float>)
declare <4 x float> @llvm.floor.v4f32(<4 x float>)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, i32, <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, i32, <4 x i1>)

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
