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
  %p40 = getelementptr i8, ptr %p38, i64 256
  call void @llvm.prefetch.p0(ptr %p40, i32 0, i32 2, i32 1)
  br label %on14
on14:
  %t41 = phi <4 x float> [ %t37, %rows12 ], [ %t39, %columns13 ]
  %t42 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t41, <4 x float> splat (float 0x3FE45F3060000000), <4 x float> splat (float 0x4168200000000000))
  %t43 = bitcast <4 x float> %t42 to <4 x i32>
  %t44 = xor <4 x i32> %t43, splat (i32 1262485504)
  %t45 = or <4 x i32> splat (i32 0), %t44
  %t46 = and <4 x i32> %t45, splat (i32 -131072)
  %t47 = icmp ne <4 x i32> %t46, splat (i32 0)
  %t48 = bitcast <4 x i1> %t47 to i4
  %t49 = icmp ne i4 %t48, 0
  br i1 %t49, label %slow51, label %fast50, !prof !0
fast50:
  %t53 = fsub <4 x float> %t42, splat (float 0x4168200000000000)
  %t54 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t53, <4 x float> splat (float 0xBFF921FB40000000), <4 x float> %t41)
  %t55 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t53, <4 x float> splat (float 0xBE74442D00000000), <4 x float> %t54)
  %t56 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t53, <4 x float> splat (float 0xBCF84698A0000000), <4 x float> %t55)
  %t57 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t56, <4 x float> %t56, <4 x float> splat (float 0x39B0000000000000))
  %t58 = fcmp olt <4 x float> %t57, splat (float 0x3E70000000000000)
  %t59 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0xBF29943F20000000), <4 x float> %t57, <4 x float> splat (float 0x3F811073C0000000))
  %t60 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t59, <4 x float> %t57, <4 x float> splat (float 0xBFC5555460000000))
  %t61 = fmul <4 x float> %t57, %t60
  %t62 = select <4 x i1> %t58, <4 x float> splat (float 0x0000000000000000), <4 x float> %t61
  %t63 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t56, <4 x float> %t62, <4 x float> %t56)
  %t64 = bitcast <4 x float> %t63 to <4 x i32>
  %t65 = bitcast <4 x float> %t56 to <4 x i32>
  %t66 = and <4 x i32> %t65, splat (i32 -2147483648)
  %t67 = or <4 x i32> %t64, %t66
  %t68 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3EF99EB9C0000000), <4 x float> %t57, <4 x float> splat (float 0xBF56C0C340000000))
  %t69 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t68, <4 x float> %t57, <4 x float> splat (float 0x3FA55554A0000000))
  %t70 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t69, <4 x float> %t57, <4 x float> splat (float 0xBFE0000000000000))
  %t71 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t57, <4 x float> %t70, <4 x float> splat (float 0x3FF0000000000000))
  %t72 = bitcast <4 x float> %t71 to <4 x i32>
  %t73 = bitcast <4 x float> %t42 to <4 x i32>
  %t74 = and <4 x i32> %t73, splat (i32 1)
  %t75 = icmp ne <4 x i32> %t74, splat (i32 0)
  %t76 = shl <4 x i32> %t73, splat (i32 30)
  %t77 = and <4 x i32> %t76, splat (i32 -2147483648)
  %t78 = select <4 x i1> %t75, <4 x i32> %t72, <4 x i32> %t67
  %t79 = xor <4 x i32> %t67, splat (i32 -2147483648)
  %t80 = select <4 x i1> %t75, <4 x i32> %t79, <4 x i32> %t72
  %t81 = xor <4 x i32> %t78, %t77
  %t82 = bitcast <4 x i32> %t81 to <4 x float>
  %t83 = xor <4 x i32> %t80, %t77
  %t84 = bitcast <4 x i32> %t83 to <4 x float>
  br label %join52
slow51:
  %t85 = call { <4 x float>, <4 x float> } @sincos(<4 x float> %t41)
  %t86 = extractvalue { <4 x float>, <4 x float> } %t85, 0
  %t87 = extractvalue { <4 x float>, <4 x float> } %t85, 1
  br label %join52
join52:
  %t88 = phi <4 x float> [ %t82, %fast50 ], [ %t86, %slow51 ]
  %t89 = phi <4 x float> [ %t84, %fast50 ], [ %t87, %slow51 ]
  %t90 = fmul <4 x float> splat (float 0x3FD47AE140000000), %t89
  %t91 = fmul <4 x float> splat (float 0xBF4A36E2E0000000), %t88
  %t92 = fmul <4 x float> splat (float 0x3FD47AE140000000), %t88
  %t93 = fmul <4 x float> splat (float 0x3F4A36E2E0000000), %t89
  %t94 = fmul <4 x float> %t89, %t90
  %t95 = fneg <4 x float> %t88
  %t96 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t95, <4 x float> %t91, <4 x float> %t94)
  %t97 = fmul <4 x float> %t88, %t92
  %t98 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t89, <4 x float> %t93, <4 x float> %t97)
  %t99 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3FF3333340000000), <4 x float> %t89, <4 x float> %t96)
  %t100 = fadd <4 x float> splat (float 0x4004000000000000), %t99
  %t101 = fadd <4 x float> splat (float 0x3F647AE140000000), %t98
  %t102 = fadd <4 x float> %t100, %t101
  %t103 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3FE3333340000000), <4 x float> %t89, <4 x float> splat (float 0x3FD487FCC0000000))
  %p104 = getelementptr ptr, ptr %args, i64 1
  %p105 = load ptr, ptr %p104
  %p106 = getelementptr i64, ptr %steps, i64 1
  %t107 = load i64, ptr %p106
  %p108 = getelementptr i64, ptr %steps, i64 3
  %t109 = load i64, ptr %p108
  %t110 = mul i64 %row, %t107
  %p111 = getelementptr i8, ptr %p105, i64 %t110
  %t115 = icmp eq i64 %t109, 4
  br i1 %t115, label %rows112, label %columns113
rows112:
  %t116 = select i1 %more1, i64 %t107, i64 0
  %p117 = getelementptr i8, ptr %p111, i64 %t116
  %t118 = select i1 %more2, i64 %t107, i64 0
  %p119 = getelementptr i8, ptr %p117, i64 %t118
  %t120 = select i1 %more3, i64 %t107, i64 0
  %p121 = getelementptr i8, ptr %p119, i64 %t120
  %p122 = getelementptr i8, ptr %p111, i64 0
  %p123 = getelementptr i8, ptr %p117, i64 0
  %p124 = getelementptr i8, ptr %p119, i64 0
  %p125 = getelementptr i8, ptr %p121, i64 0
  %t126 = shufflevector <4 x float> %t102, <4 x float> %t103, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %t127 = shufflevector <4 x float> %t102, <4 x float> %t103, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %t128 = shufflevector <4 x float> %t103, <4 x float> splat (float 0x3FD487FCC0000000), <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %t129 = shufflevector <4 x float> %t103, <4 x float> splat (float 0x3FD487FCC0000000), <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %t130 = shufflevector <4 x float> %t126, <4 x float> %t128, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %t131 = shufflevector <4 x float> %t126, <4 x float> %t128, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  %t132 = shufflevector <4 x float> %t127, <4 x float> %t129, <4 x i32> <i32 0, i32 4, i32 1, i32 5>
  %t133 = shufflevector <4 x float> %t127, <4 x float> %t129, <4 x i32> <i32 2, i32 6, i32 3, i32 7>
  store <4 x float> %t130, ptr %p122, align 4
  store <4 x float> %t131, ptr %p123, align 4
  store <4 x float> %t132, ptr %p124, align 4
  store <4 x float> %t133, ptr %p125, align 4
  br label %on114
columns113:
  store <4 x float> %t102, ptr %p111, align 4
  %p134 = getelementptr i8, ptr %p111, i64 %t109
  store <4 x float> %t103, ptr %p134, align 4
  %p135 = getelementptr i8, ptr %p134, i64 %t109
  store <4 x float> %t103, ptr %p135, align 4
  %p136 = getelementptr i8, ptr %p135, i64 %t109
  store <4 x float> splat (float 0x3FD487FCC0000000), ptr %p136, align 4
  br label %on114
on114:
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
  %t14 = fcmp olt <4 x float> %t13, splat (float 0x3E70000000000000)
  %t15 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0xBF29943F20000000), <4 x float> %t13, <4 x float> splat (float 0x3F811073C0000000))
  %t16 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t15, <4 x float> %t13, <4 x float> splat (float 0xBFC5555460000000))
  %t17 = fmul <4 x float> %t13, %t16
  %t18 = select <4 x i1> %t14, <4 x float> splat (float 0x0000000000000000), <4 x float> %t17
  %t19 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t12, <4 x float> %t18, <4 x float> %t12)
  %t20 = bitcast <4 x float> %t19 to <4 x i32>
  %t21 = bitcast <4 x float> %t12 to <4 x i32>
  %t22 = and <4 x i32> %t21, splat (i32 -2147483648)
  %t23 = or <4 x i32> %t20, %t22
  %t24 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3EF99EB9C0000000), <4 x float> %t13, <4 x float> splat (float 0xBF56C0C340000000))
  %t25 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t24, <4 x float> %t13, <4 x float> splat (float 0x3FA55554A0000000))
  %t26 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t25, <4 x float> %t13, <4 x float> splat (float 0xBFE0000000000000))
  %t27 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t13, <4 x float> %t26, <4 x float> splat (float 0x3FF0000000000000))
  %t28 = bitcast <4 x float> %t27 to <4 x i32>
  %t29 = bitcast <4 x float> %t8 to <4 x i32>
  %t30 = and <4 x i32> %t29, splat (i32 1)
  %t31 = icmp ne <4 x i32> %t30, splat (i32 0)
  %t32 = shl <4 x i32> %t29, splat (i32 30)
  %t33 = and <4 x i32> %t32, splat (i32 -2147483648)
  %t34 = select <4 x i1> %t31, <4 x i32> %t28, <4 x i32> %t23
  %t35 = xor <4 x i32> %t23, splat (i32 -2147483648)
  %t36 = select <4 x i1> %t31, <4 x i32> %t35, <4 x i32> %t28
  %t37 = xor <4 x i32> %t34, %t33
  %t38 = bitcast <4 x i32> %t37 to <4 x float>
  %t39 = xor <4 x i32> %t36, %t33
  %t40 = bitcast <4 x i32> %t39 to <4 x float>
  %t41 = call <4 x float> @mend(<4 x float> %x, <4 x float> %t38, i64 1)
  %t42 = insertvalue { <4 x float>, <4 x float> } poison, <4 x float> %t41, 0
  %t43 = call <4 x float> @mend(<4 x float> %x, <4 x float> %t40, i64 2)
  %t44 = insertvalue { <4 x float>, <4 x float> } %t42, <4 x float> %t43, 1
  ret { <4 x float>, <4 x float> } %t44
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
