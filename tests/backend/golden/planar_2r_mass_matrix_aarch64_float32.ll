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
  %p26 = getelementptr i8, ptr %p22, i64 0
  %t27 = load <2 x float>, ptr %p26, align 4
  %p28 = getelementptr i8, ptr %p23, i64 0
  %t29 = load <2 x float>, ptr %p28, align 4
  %p30 = getelementptr i8, ptr %p24, i64 0
  %t31 = load <2 x float>, ptr %p30, align 4
  %p32 = getelementptr i8, ptr %p25, i64 0
  %t33 = load <2 x float>, ptr %p32, align 4
  %t34 = shufflevector <2 x float> %t27, <2 x float> %t31, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t35 = shufflevector <2 x float> %t29, <2 x float> %t33, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t36 = shufflevector <4 x float> %t34, <4 x float> %t35, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t37 = shufflevector <4 x float> %t34, <4 x float> %t35, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  br label %on14
columns13:
  %p38 = getelementptr i8, ptr %p11, i64 %t9
  %t39 = load <4 x float>, ptr %p38, align 4
  br label %on14
on14:
  %t40 = phi <4 x float> [ %t37, %rows12 ], [ %t39, %columns13 ]
  %t41 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t40, <4 x float> splat (float 0x3FE45F3060000000), <4 x float> splat (float 0x4168200000000000))
  %t42 = bitcast <4 x float> %t41 to <4 x i32>
  %t43 = xor <4 x i32> %t42, splat (i32 1262485504)
  %t44 = or <4 x i32> splat (i32 0), %t43
  %t45 = and <4 x i32> %t44, splat (i32 -131072)
  %t46 = icmp ne <4 x i32> %t45, splat (i32 0)
  %t47 = bitcast <4 x i1> %t46 to i4
  %t48 = icmp ne i4 %t47, 0
  br i1 %t48, label %slow50, label %fast49, !prof !0
fast49:
  %t52 = fsub <4 x float> %t41, splat (float 0x4168200000000000)
  %t53 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t52, <4 x float> splat (float 0xBFF921FB40000000), <4 x float> %t40)
  %t54 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t52, <4 x float> splat (float 0xBE74442D00000000), <4 x float> %t53)
  %t55 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t52, <4 x float> splat (float 0xBCF84698A0000000), <4 x float> %t54)
  %t56 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t55, <4 x float> %t55, <4 x float> splat (float 0x39B0000000000000))
  %t57 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0xBF29943F20000000), <4 x float> %t56, <4 x float> splat (float 0x3F811073C0000000))
  %t58 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t57, <4 x float> %t56, <4 x float> splat (float 0xBFC5555460000000))
  %t59 = fmul <4 x float> %t56, %t58
  %t60 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t55, <4 x float> %t59, <4 x float> %t55)
  %t61 = bitcast <4 x float> %t60 to <4 x i32>
  %t62 = bitcast <4 x float> %t55 to <4 x i32>
  %t63 = and <4 x i32> %t62, splat (i32 -2147483648)
  %t64 = or <4 x i32> %t61, %t63
  %t65 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3EF99EB9C0000000), <4 x float> %t56, <4 x float> splat (float 0xBF56C0C340000000))
  %t66 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t65, <4 x float> %t56, <4 x float> splat (float 0x3FA55554A0000000))
  %t67 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t66, <4 x float> %t56, <4 x float> splat (float 0xBFE0000000000000))
  %t68 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t56, <4 x float> %t67, <4 x float> splat (float 0x3FF0000000000000))
  %t69 = bitcast <4 x float> %t68 to <4 x i32>
  %t70 = bitcast <4 x float> %t41 to <4 x i32>
  %t71 = and <4 x i32> %t70, splat (i32 1)
  %t72 = icmp ne <4 x i32> %t71, splat (i32 0)
  %t73 = shl <4 x i32> %t70, splat (i32 30)
  %t74 = and <4 x i32> %t73, splat (i32 -2147483648)
  %t75 = select <4 x i1> %t72, <4 x i32> %t69, <4 x i32> %t64
  %t76 = xor <4 x i32> %t64, splat (i32 -2147483648)
  %t77 = select <4 x i1> %t72, <4 x i32> %t76, <4 x i32> %t69
  %t78 = xor <4 x i32> %t75, %t74
  %t79 = bitcast <4 x i32> %t78 to <4 x float>
  %t80 = xor <4 x i32> %t77, %t74
  %t81 = bitcast <4 x i32> %t80 to <4 x float>
  br label %join51
slow50:
  %t82 = call { <4 x float>, <4 x float> } @sincos(<4 x float> %t40)
  %t83 = extractvalue { <4 x float>, <4 x float> } %t82, 0
  %t84 = extractvalue { <4 x float>, <4 x float> } %t82, 1
  br label %join51
join51:
  %t85 = phi <4 x float> [ %t79, %fast49 ], [ %t83, %slow50 ]
  %t86 = phi <4 x float> [ %t81, %fast49 ], [ %t84, %slow50 ]
  %t87 = fmul <4 x float> splat (float 0x3FD47AE140000000), %t86
  %t88 = fmul <4 x float> splat (float 0xBF4A36E2E0000000), %t85
  %t89 = fmul <4 x float> splat (float 0x3FD47AE140000000), %t85
  %t90 = fmul <4 x float> splat (float 0x3F4A36E2E0000000), %t86
  %t91 = fmul <4 x float> %t86, %t87
  %t92 = fneg <4 x float> %t85
  %t93 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t92, <4 x float> %t88, <4 x float> %t91)
  %t94 = fmul <4 x float> %t85, %t89
  %t95 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t86, <4 x float> %t90, <4 x float> %t94)
  %t96 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3FF3333340000000), <4 x float> %t86, <4 x float> %t93)
  %t97 = fadd <4 x float> splat (float 0x4004000000000000), %t96
  %t98 = fadd <4 x float> splat (float 0x3F647AE140000000), %t95
  %t99 = fadd <4 x float> %t97, %t98
  %t100 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3FE3333340000000), <4 x float> %t86, <4 x float> splat (float 0x3FD487FCC0000000))
  %p101 = getelementptr ptr, ptr %args, i64 1
  %p102 = load ptr, ptr %p101
  %p103 = getelementptr i64, ptr %steps, i64 1
  %t104 = load i64, ptr %p103
  %p105 = getelementptr i64, ptr %steps, i64 3
  %t106 = load i64, ptr %p105
  %t107 = mul i64 %row, %t104
  %p108 = getelementptr i8, ptr %p102, i64 %t107
  %t112 = icmp eq i64 %t106, 4
  br i1 %t112, label %rows109, label %columns110
rows109:
  %t113 = select i1 %more1, i64 %t104, i64 0
  %p114 = getelementptr i8, ptr %p108, i64 %t113
  %t115 = select i1 %more2, i64 %t104, i64 0
  %p116 = getelementptr i8, ptr %p114, i64 %t115
  %t117 = select i1 %more3, i64 %t104, i64 0
  %p118 = getelementptr i8, ptr %p116, i64 %t117
  %p119 = getelementptr i8, ptr %p108, i64 0
  %p120 = getelementptr i8, ptr %p114, i64 0
  %p121 = getelementptr i8, ptr %p116, i64 0
  %p122 = getelementptr i8, ptr %p118, i64 0
  %t123 = shufflevector <4 x float> %t99, <4 x float> %t100, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %t124 = shufflevector <4 x float> %t99, <4 x float> %t100, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %t125 = shufflevector <4 x float> %t100, <4 x float> splat (float 0x3FD487FCC0000000), <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %t126 = shufflevector <4 x float> %t100, <4 x float> splat (float 0x3FD487FCC0000000), <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %t127 = shufflevector <4 x float> %t123, <4 x float> %t125, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %t128 = shufflevector <4 x float> %t123, <4 x float> %t125, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %t129 = shufflevector <4 x float> %t124, <4 x float> %t126, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %t130 = shufflevector <4 x float> %t124, <4 x float> %t126, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  store <4 x float> %t127, ptr %p119, align 4
  store <4 x float> %t128, ptr %p120, align 4
  store <4 x float> %t129, ptr %p121, align 4
  store <4 x float> %t130, ptr %p122, align 4
  br label %on111
columns110:
  store <4 x float> %t99, ptr %p108, align 4
  %p131 = getelementptr i8, ptr %p108, i64 %t106
  store <4 x float> %t100, ptr %p131, align 4
  %p132 = getelementptr i8, ptr %p131, i64 %t106
  store <4 x float> %t100, ptr %p132, align 4
  %p133 = getelementptr i8, ptr %p132, i64 %t106
  store <4 x float> splat (float 0x3FD487FCC0000000), ptr %p133, align 4
  br label %on111
on111:
  ret void
}

define internal { <4 x float>, <4 x float> } @sincos(<4 x float> %x) noinline cold {
entry:
  %t1 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x, <4 x float> splat (float 0x3FE45F3060000000), <4 x float> splat (float 0x4168200000000000))
  %t2 = bitcast <4 x float> %t1 to <4 x i32>
  %t3 = xor <4 x i32> %t2, splat (i32 1262485504)
  %t4 = or <4 x i32> splat (i32 0), %t3
  %t5 = and <4 x i32> %t4, splat (i32 -131072)
  %t6 = icmp ne <4 x i32> %t5, splat (i32 0)
  %t7 = select <4 x i1> %t6, <4 x float> splat (float 0x0000000000000000), <4 x float> %x
  %t8 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t7, <4 x float> splat (float 0x3FE45F3060000000), <4 x float> splat (float 0x4168200000000000))
  %t9 = fsub <4 x float> %t8, splat (float 0x4168200000000000)
  %t10 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t9, <4 x float> splat (float 0xBFF921FB40000000), <4 x float> %t7)
  %t11 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t9, <4 x float> splat (float 0xBE74442D00000000), <4 x float> %t10)
  %t12 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t9, <4 x float> splat (float 0xBCF84698A0000000), <4 x float> %t11)
  %t13 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t12, <4 x float> %t12, <4 x float> splat (float 0x39B0000000000000))
  %t14 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0xBF29943F20000000), <4 x float> %t13, <4 x float> splat (float 0x3F811073C0000000))
  %t15 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t14, <4 x float> %t13, <4 x float> splat (float 0xBFC5555460000000))
  %t16 = fmul <4 x float> %t13, %t15
  %t17 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t12, <4 x float> %t16, <4 x float> %t12)
  %t18 = bitcast <4 x float> %t17 to <4 x i32>
  %t19 = bitcast <4 x float> %t12 to <4 x i32>
  %t20 = and <4 x i32> %t19, splat (i32 -2147483648)
  %t21 = or <4 x i32> %t18, %t20
  %t22 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3EF99EB9C0000000), <4 x float> %t13, <4 x float> splat (float 0xBF56C0C340000000))
  %t23 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t22, <4 x float> %t13, <4 x float> splat (float 0x3FA55554A0000000))
  %t24 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t23, <4 x float> %t13, <4 x float> splat (float 0xBFE0000000000000))
  %t25 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t13, <4 x float> %t24, <4 x float> splat (float 0x3FF0000000000000))
  %t26 = bitcast <4 x float> %t25 to <4 x i32>
  %t27 = bitcast <4 x float> %t8 to <4 x i32>
  %t28 = and <4 x i32> %t27, splat (i32 1)
  %t29 = icmp ne <4 x i32> %t28, splat (i32 0)
  %t30 = shl <4 x i32> %t27, splat (i32 30)
  %t31 = and <4 x i32> %t30, splat (i32 -2147483648)
  %t32 = select <4 x i1> %t29, <4 x i32> %t26, <4 x i32> %t21
  %t33 = xor <4 x i32> %t21, splat (i32 -2147483648)
  %t34 = select <4 x i1> %t29, <4 x i32> %t33, <4 x i32> %t26
  %t35 = xor <4 x i32> %t32, %t31
  %t36 = bitcast <4 x i32> %t35 to <4 x float>
  %t37 = xor <4 x i32> %t34, %t31
  %t38 = bitcast <4 x i32> %t37 to <4 x float>
  %t39 = call <4 x float> @mend(<4 x float> %x, <4 x float> %t36, i64 1)
  %t40 = insertvalue { <4 x float>, <4 x float> } poison, <4 x float> %t39, 0
  %t41 = call <4 x float> @mend(<4 x float> %x, <4 x float> %t38, i64 2)
  %t42 = insertvalue { <4 x float>, <4 x float> } %t40, <4 x float> %t41, 1
  ret { <4 x float>, <4 x float> } %t42
}

define internal <4 x float> @mend(<4 x float> %x, <4 x float> %quick, i64 %f) noinline cold {
entry:
  %t1 = call <4 x float> @llvm.fma.v4f32(<4 x float> %x, <4 x float> splat (float 0x3FE45F3060000000), <4 x float> splat (float 0x4168200000000000))
  %t2 = bitcast <4 x float> %t1 to <4 x i32>
  %t3 = xor <4 x i32> %t2, splat (i32 1262485504)
  %t4 = or <4 x i32> splat (i32 0), %t3
  %t5 = and <4 x i32> %t4, splat (i32 -131072)
  %t6 = icmp ne <4 x i32> %t5, splat (i32 0)
  %xs = alloca <4 x float>, align 64
  %qs = alloca <4 x float>, align 64
  %bs = alloca [4 x i8], align 64
  store <4 x float> %x, ptr %xs, align 64
  store <4 x float> %quick, ptr %qs, align 64
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
  %xp = getelementptr float, ptr %xs, i64 %lane
  %value = load float, ptr %xp
  %wide = fpext float %value to double
  %exact = call double %t9(double %wide)
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
