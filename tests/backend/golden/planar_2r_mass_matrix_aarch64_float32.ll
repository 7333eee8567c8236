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
  %p40 = getelementptr i8, ptr %p38, i64 256
  call void @llvm.prefetch.p0(ptr %p40, i32 0, i32 2, i32 1)
  br label %on14
on14:
  %t41 = phi <4 x float> [ %t35, %rows12 ], [ %t39, %columns13 ]
  %t42 = bitcast <4 x float> %t41 to <4 x i32>
  %t43 = and <4 x i32> %t42, splat (i32 2147483647)
  %t44 = icmp ugt <4 x i32> %t43, splat (i32 1203982336)
  %t45 = select <4 x i1> %t44, <4 x float> splat (float 0x0000000000000000), <4 x float> %t41
  %t46 = fpext <4 x float> %t45 to <4 x double>
  %t47 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t46, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %t48 = fsub <4 x double> %t47, splat (double 0x4338000000000000)
  %t49 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t48, <4 x double> splat (double 0xBFF921FB54400000), <4 x double> %t46)
  %t50 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t48, <4 x double> splat (double 0xBDD0B4611A600000), <4 x double> %t49)
  %t51 = bitcast <4 x double> %t47 to <4 x i64>
  %t52 = fptrunc <4 x double> %t50 to <4 x float>
  %t53 = trunc <4 x i64> %t51 to <4 x i32>
  %t54 = bitcast <4 x float> %t41 to <4 x i32>
  %t55 = and <4 x i32> %t54, splat (i32 2147483647)
  %t56 = icmp ult <4 x i32> %t55, splat (i32 964689920)
  %t57 = select <4 x i1> %t56, <4 x float> %t41, <4 x float> %t52
  %t58 = select <4 x i1> %t56, <4 x float> splat (float 0x0000000000000000), <4 x float> %t52
  %t59 = fmul <4 x float> %t58, %t58
  %t60 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0xBF29943F20000000), <4 x float> %t59, <4 x float> splat (float 0x3F811073C0000000))
  %t61 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t60, <4 x float> %t59, <4 x float> splat (float 0xBFC5555460000000))
  %t62 = fmul <4 x float> %t59, %t61
  %t63 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t58, <4 x float> %t62, <4 x float> %t57)
  %t64 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3EF99EB9C0000000), <4 x float> %t59, <4 x float> splat (float 0xBF56C0C340000000))
  %t65 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t64, <4 x float> %t59, <4 x float> splat (float 0x3FA55554A0000000))
  %t66 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t65, <4 x float> %t59, <4 x float> splat (float 0xBFE0000000000000))
  %t67 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t59, <4 x float> %t66, <4 x float> splat (float 0x3FF0000000000000))
  %t68 = and <4 x i32> %t53, splat (i32 1)
  %t69 = icmp ne <4 x i32> %t68, splat (i32 0)
  %t70 = shl <4 x i32> %t53, splat (i32 30)
  %t71 = and <4 x i32> %t70, splat (i32 -2147483648)
  %t72 = add <4 x i32> %t53, splat (i32 1)
  %t73 = shl <4 x i32> %t72, splat (i32 30)
  %t74 = and <4 x i32> %t73, splat (i32 -2147483648)
  %t75 = select <4 x i1> %t69, <4 x float> %t67, <4 x float> %t63
  %t76 = bitcast <4 x float> %t75 to <4 x i32>
  %t77 = xor <4 x i32> %t76, %t71
  %t78 = bitcast <4 x i32> %t77 to <4 x float>
  %t79 = select <4 x i1> %t69, <4 x float> %t63, <4 x float> %t67
  %t80 = bitcast <4 x float> %t79 to <4 x i32>
  %t81 = xor <4 x i32> %t80, %t74
  %t82 = bitcast <4 x i32> %t81 to <4 x float>
  %t83 = bitcast <4 x i1> %t44 to i4
  %t84 = icmp ne i4 %t83, 0
  br label %fast85
fast85:
  br i1 %t84, label %slow86, label %join87, !prof !0
slow86:
  %t88 = call <4 x float> @mend(<4 x float> %t41, <4 x float> %t78, i64 1)
  %t89 = call <4 x float> @mend(<4 x float> %t41, <4 x float> %t82, i64 2)
  br label %join87
join87:
  %t90 = phi <4 x float> [ %t78, %fast85 ], [ %t88, %slow86 ]
  %t91 = phi <4 x float> [ %t82, %fast85 ], [ %t89, %slow86 ]
  %t92 = fmul <4 x float> splat (float 0x3FD47AE140000000), %t91
  %t93 = fmul <4 x float> splat (float 0xBF4A36E2E0000000), %t90
  %t94 = fmul <4 x float> splat (float 0x3FD47AE140000000), %t90
  %t95 = fmul <4 x float> splat (float 0x3F4A36E2E0000000), %t91
  %t96 = fmul <4 x float> %t91, %t92
  %t97 = fneg <4 x float> %t90
  %t98 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t97, <4 x float> %t93, <4 x float> %t96)
  %t99 = fmul <4 x float> %t90, %t94
  %t100 = call <4 x float> @llvm.fma.v4f32(<4 x float> %t91, <4 x float> %t95, <4 x float> %t99)
  %t101 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3FF3333340000000), <4 x float> %t91, <4 x float> %t98)
  %t102 = fadd <4 x float> splat (float 0x4004000000000000), %t101
  %t103 = fadd <4 x float> splat (float 0x3F647AE140000000), %t100
  %t104 = fadd <4 x float> %t102, %t103
  %t105 = call <4 x float> @llvm.fma.v4f32(<4 x float> splat (float 0x3FE3333340000000), <4 x float> %t91, <4 x float> splat (float 0x3FD487FCC0000000))
  %p106 = getelementptr ptr, ptr %args, i64 1
  %p107 = load ptr, ptr %p106
  %p108 = getelementptr i64, ptr %steps, i64 1
  %t109 = load i64, ptr %p108
  %p110 = getelementptr i64, ptr %steps, i64 3
  %t111 = load i64, ptr %p110
  %t112 = mul i64 %row, %t109
  %p113 = getelementptr i8, ptr %p107, i64 %t112
  %t117 = icmp eq i64 %t111, 4
  br i1 %t117, label %rows114, label %columns115
rows114:
  %t118 = select i1 %more1, i64 %t109, i64 0
  %p119 = getelementptr i8, ptr %p113, i64 %t118
  %t120 = select i1 %more2, i64 %t109, i64 0
  %p121 = getelementptr i8, ptr %p119, i64 %t120
  %t122 = select i1 %more3, i64 %t109, i64 0
  %p123 = getelementptr i8, ptr %p121, i64 %t122
  %t124 = shufflevector <4 x float> %t104, <4 x float> %t105, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t125 = shufflevector <4 x float> %t104, <4 x float> %t105, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t126 = shufflevector <4 x float> %t105, <4 x float> splat (float 0x3FD487FCC0000000), <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t127 = shufflevector <4 x float> %t105, <4 x float> splat (float 0x3FD487FCC0000000), <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t128 = shufflevector <4 x float> %t124, <4 x float> %t126, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t129 = shufflevector <4 x float> %t124, <4 x float> %t126, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t130 = shufflevector <4 x float> %t125, <4 x float> %t127, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t131 = shufflevector <4 x float> %t125, <4 x float> %t127, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %p132 = getelementptr i8, ptr %p113, i64 0
  store <4 x float> %t128, ptr %p132, align 4
  %p133 = getelementptr i8, ptr %p119, i64 0
  store <4 x float> %t129, ptr %p133, align 4
  %p134 = getelementptr i8, ptr %p121, i64 0
  store <4 x float> %t130, ptr %p134, align 4
  %p135 = getelementptr i8, ptr %p123, i64 0
  store <4 x float> %t131, ptr %p135, align 4
  br label %on116
columns115:
  store <4 x float> %t104, ptr %p113, align 4
  %p136 = getelementptr i8, ptr %p113, i64 %t111
  store <4 x float> %t105, ptr %p136, align 4
  %p137 = getelementptr i8, ptr %p136, i64 %t111
  store <4 x float> %t105, ptr %p137, align 4
  %p138 = getelementptr i8, ptr %p137, i64 %t111
  store <4 x float> splat (float 0x3FD487FCC0000000), ptr %p138, align 4
  br label %on116
on116:
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
