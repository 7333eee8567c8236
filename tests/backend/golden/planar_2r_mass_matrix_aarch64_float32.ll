target triple = "aarch64-unknown-linux-gnu"

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
  %t17 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %p16, i32 4, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x float> zeroinitializer)
  %p18 = getelementptr i8, ptr %p11, i64 0
  %t19 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %p18, i32 4, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x float> zeroinitializer)
  %p20 = getelementptr i8, ptr %p13, i64 0
  %t21 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %p20, i32 4, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x float> zeroinitializer)
  %p22 = getelementptr i8, ptr %p15, i64 0
  %t23 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr %p22, i32 4, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x float> zeroinitializer)
  %t24 = shufflevector <4 x float> %t17, <4 x float> %t21, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t25 = shufflevector <4 x float> %t17, <4 x float> %t21, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t26 = shufflevector <4 x float> %t19, <4 x float> %t23, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t27 = shufflevector <4 x float> %t19, <4 x float> %t23, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t28 = shufflevector <4 x float> %t24, <4 x float> %t26, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t29 = shufflevector <4 x float> %t24, <4 x float> %t26, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t30 = shufflevector <4 x float> %t25, <4 x float> %t27, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t31 = shufflevector <4 x float> %t25, <4 x float> %t27, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t32 = bitcast <4 x float> %t29 to <4 x i32>
  %t33 = and <4 x i32> %t32, splat (i32 2147483647)
  %t34 = icmp ugt <4 x i32> %t33, splat (i32 1203982336)
  %t35 = select <4 x i1> %t34, <4 x float> splat (float 0x0000000000000000), <4 x float> %t29
  %t36 = fpext <4 x float> %t35 to <4 x double>
  %t37 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t36, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %t38 = fsub <4 x double> %t37, splat (double 0x4338000000000000)
  %t39 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t38, <4 x double> splat (double 0xBFF921FB54400000), <4 x double> %t36)
  %t40 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t38, <4 x double> splat (double 0xBDD0B4611A600000), <4 x double> %t39)
  %t41 = bitcast <4 x double> %t37 to <4 x i64>
  %t42 = fptrunc <4 x double> %t40 to <4 x float>
  %t43 = trunc <4 x i64> %t41 to <4 x i32>
  %t44 = bitcast <4 x float> %t29 to <4 x i32>
  %t45 = and <4 x i32> %t44, splat (i32 2147483647)
  %t46 = icmp ult <4 x i32> %t45, splat (i32 964689920)
  %t47 = select <4 x i1> %t46, <4 x float> %t29, <4 x float> %t42
  %t48 = select <4 x i1> %t46, <4 x float> splat (float 0x0000000000000000), <4 x float> %t42
  %t49 = fmul <4 x float> %t48, %t48
  %t50 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0xBF29943F20000000), <4 x float> %t49, <4 x float> splat (float 0x3F811073C0000000))
  %t51 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t50, <4 x float> %t49, <4 x float> splat (float 0xBFC5555460000000))
  %t52 = fmul <4 x float> %t49, %t51
  %t53 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t48, <4 x float> %t52, <4 x float> %t47)
  %t54 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3EF99EB9C0000000), <4 x float> %t49, <4 x float> splat (float 0xBF56C0C340000000))
  %t55 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t54, <4 x float> %t49, <4 x float> splat (float 0x3FA55554A0000000))
  %t56 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t55, <4 x float> %t49, <4 x float> splat (float 0xBFE0000000000000))
  %t57 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t49, <4 x float> %t56, <4 x float> splat (float 0x3FF0000000000000))
  %t58 = and <4 x i32> %t43, splat (i32 1)
  %t59 = icmp ne <4 x i32> %t58, splat (i32 0)
  %t60 = shl <4 x i32> %t43, splat (i32 30)
  %t61 = and <4 x i32> %t60, splat (i32 -2147483648)
  %t62 = add <4 x i32> %t43, splat (i32 1)
  %t63 = shl <4 x i32> %t62, splat (i32 30)
  %t64 = and <4 x i32> %t63, splat (i32 -2147483648)
  %t65 = select <4 x i1> %t59, <4 x float> %t57, <4 x float> %t53
  %t66 = bitcast <4 x float> %t65 to <4 x i32>
  %t67 = xor <4 x i32> %t66, %t61
  %t68 = bitcast <4 x i32> %t67 to <4 x float>
  %t69 = select <4 x i1> %t59, <4 x float> %t53, <4 x float> %t57
  %t70 = bitcast <4 x float> %t69 to <4 x i32>
  %t71 = xor <4 x i32> %t70, %t64
  %t72 = bitcast <4 x i32> %t71 to <4 x float>
  %t73 = bitcast <4 x i1> %t34 to i4
  %t74 = icmp ne i4 %t73, 0
  br label %fast75
fast75:
  br i1 %t74, label %slow76, label %join77, !prof !0
slow76:
  %t78 = call <4 x float> @mend(<4 x float> %t29, <4 x float> %t68, i64 1)
  %t79 = call <4 x float> @mend(<4 x float> %t29, <4 x float> %t72, i64 2)
  br label %join77
join77:
  %t80 = phi <4 x float> [ %t68, %fast75 ], [ %t78, %slow76 ]
  %t81 = phi <4 x float> [ %t72, %fast75 ], [ %t79, %slow76 ]
  %t82 = fmul <4 x float> splat (float 0x3FD47AE140000000), %t81
  %t83 = fmul <4 x float> splat (float 0xBF4A36E2E0000000), %t80
  %t84 = fmul <4 x float> splat (float 0x3FD47AE140000000), %t80
  %t85 = fmul <4 x float> splat (float 0x3F4A36E2E0000000), %t81
  %t86 = fmul <4 x float> %t81, %t82
  %t87 = fneg <4 x float> %t80
  %t88 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t87, <4 x float> %t83, <4 x float> %t86)
  %t89 = fmul <4 x float> %t80, %t84
  %t90 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t81, <4 x float> %t85, <4 x float> %t89)
  %t91 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3FF3333340000000), <4 x float> %t81, <4 x float> %t88)
  %t92 = fadd <4 x float> splat (float 0x4004000000000000), %t91
  %t93 = fadd <4 x float> splat (float 0x3F647AE140000000), %t90
  %t94 = fadd <4 x float> %t92, %t93
  %t95 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3FE3333340000000), <4 x float> %t81, <4 x float> splat (float 0x3FD487FCC0000000))
  %p96 = getelementptr ptr, ptr %args, i64 1
  %p97 = load ptr, ptr %p96
  %p98 = getelementptr i64, ptr %steps, i64 1
  %t99 = load i64, ptr %p98
  %t100 = mul i64 %row, %t99
  %p101 = getelementptr i8, ptr %p97, i64 %t100
  %t102 = select i1 %more1, i64 %t99, i64 0
  %p103 = getelementptr i8, ptr %p101, i64 %t102
  %t104 = select i1 %more2, i64 %t99, i64 0
  %p105 = getelementptr i8, ptr %p103, i64 %t104
  %t106 = select i1 %more3, i64 %t99, i64 0
  %p107 = getelementptr i8, ptr %p105, i64 %t106
  %t108 = shufflevector <4 x float> %t94, <4 x float> %t95, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t109 = shufflevector <4 x float> %t94, <4 x float> %t95, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t110 = shufflevector <4 x float> %t95, <4 x float> splat (float 0x3FD487FCC0000000), <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t111 = shufflevector <4 x float> %t95, <4 x float> splat (float 0x3FD487FCC0000000), <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t112 = shufflevector <4 x float> %t108, <4 x float> %t110, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t113 = shufflevector <4 x float> %t108, <4 x float> %t110, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t114 = shufflevector <4 x float> %t109, <4 x float> %t111, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t115 = shufflevector <4 x float> %t109, <4 x float> %t111, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %p116 = getelementptr i8, ptr %p101, i64 0
  store <4 x float> %t112, ptr %p116, align 4
  %p117 = getelementptr i8, ptr %p103, i64 0
  store <4 x float> %t113, ptr %p117, align 4
  %p118 = getelementptr i8, ptr %p105, i64 0
  store <4 x float> %t114, ptr %p118, align 4
  %p119 = getelementptr i8, ptr %p107, i64 0
  store <4 x float> %t115, ptr %p119, align 4
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
