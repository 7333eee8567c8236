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
  %t26 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p22, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t27 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p23, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t28 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p24, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t29 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p25, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
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
  %t38 = load <4 x double>, ptr %p11, align 8
  %p39 = getelementptr i8, ptr %p11, i64 256
  call void @llvm.prefetch.p0(ptr %p39, i32 0, i32 2, i32 1)
  br label %on14
on14:
  %t40 = phi <4 x double> [ %t34, %rows12 ], [ %t38, %columns13 ]
  %p41 = getelementptr ptr, ptr %args, i64 2
  %p42 = load ptr, ptr %p41
  %p43 = getelementptr i64, ptr %steps, i64 2
  %t44 = load i64, ptr %p43
  %p45 = getelementptr i64, ptr %steps, i64 6
  %t46 = load i64, ptr %p45
  %t47 = mul i64 %row, %t44
  %p48 = getelementptr i8, ptr %p42, i64 %t47
  %t52 = icmp eq i64 %t46, 8
  br i1 %t52, label %rows49, label %columns50
rows49:
  %t53 = select i1 %more1, i64 %t44, i64 0
  %p54 = getelementptr i8, ptr %p48, i64 %t53
  %t55 = select i1 %more2, i64 %t44, i64 0
  %p56 = getelementptr i8, ptr %p54, i64 %t55
  %t57 = select i1 %more3, i64 %t44, i64 0
  %p58 = getelementptr i8, ptr %p56, i64 %t57
  %p59 = getelementptr i8, ptr %p48, i64 0
  %p60 = getelementptr i8, ptr %p54, i64 0
  %p61 = getelementptr i8, ptr %p56, i64 0
  %p62 = getelementptr i8, ptr %p58, i64 0
  %t63 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p59, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t64 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p60, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t65 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p61, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t66 = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %p62, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>, <4 x double> zeroinitializer)
  %t67 = shufflevector <4 x double> %t63, <4 x double> %t65, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t68 = shufflevector <4 x double> %t63, <4 x double> %t65, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t69 = shufflevector <4 x double> %t64, <4 x double> %t66, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t70 = shufflevector <4 x double> %t64, <4 x double> %t66, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t71 = shufflevector <4 x double> %t67, <4 x double> %t69, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t72 = shufflevector <4 x double> %t67, <4 x double> %t69, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t73 = shufflevector <4 x double> %t68, <4 x double> %t70, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t74 = shufflevector <4 x double> %t68, <4 x double> %t70, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  br label %on51
columns50:
  %t75 = load <4 x double>, ptr %p48, align 8
  %p76 = getelementptr i8, ptr %p48, i64 256
  call void @llvm.prefetch.p0(ptr %p76, i32 0, i32 2, i32 1)
  br label %on51
on51:
  %t77 = phi <4 x double> [ %t71, %rows49 ], [ %t75, %columns50 ]
  %t78 = bitcast <4 x double> %t40 to <4 x i64>
  %t79 = and <4 x i64> %t78, splat (i64 9223372036854775807)
  %t80 = icmp ugt <4 x i64> %t79, splat (i64 4681608360884174848)
  %t81 = select <4 x i1> %t80, <4 x double> splat (double 0x0000000000000000), <4 x double> %t40
  %t82 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t81, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %t83 = fsub <4 x double> %t82, splat (double 0x4338000000000000)
  %t84 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t83, <4 x double> splat (double 0xBFF921FB54400000), <4 x double> %t81)
  %t85 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t83, <4 x double> splat (double 0xBDD0B4611A600000), <4 x double> %t84)
  %t86 = fsub <4 x double> %t84, %t85
  %t87 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t83, <4 x double> splat (double 0xBDD0B4611A600000), <4 x double> %t86)
  %t88 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t83, <4 x double> splat (double 0xBBA3198A2E037073), <4 x double> %t87)
  %t89 = fadd <4 x double> %t85, %t88
  %t90 = bitcast <4 x double> %t82 to <4 x i64>
  %t91 = bitcast <4 x double> %t40 to <4 x i64>
  %t92 = and <4 x i64> %t91, splat (i64 9223372036854775807)
  %t93 = icmp ult <4 x i64> %t92, splat (i64 4485585228861014016)
  %t94 = select <4 x i1> %t93, <4 x double> %t40, <4 x double> %t89
  %t95 = select <4 x i1> %t93, <4 x double> splat (double 0x0000000000000000), <4 x double> %t89
  %t96 = fmul <4 x double> %t95, %t95
  %t97 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x3DE5D93A5ACFD57C), <4 x double> %t96, <4 x double> splat (double 0xBE5AE5E68A2B9CEB))
  %t98 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t97, <4 x double> %t96, <4 x double> splat (double 0x3EC71DE357B1FE7D))
  %t99 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t98, <4 x double> %t96, <4 x double> splat (double 0xBF2A01A019C161D5))
  %t100 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t99, <4 x double> %t96, <4 x double> splat (double 0x3F8111111110F8A6))
  %t101 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t100, <4 x double> %t96, <4 x double> splat (double 0xBFC5555555555549))
  %t102 = fmul <4 x double> %t96, %t101
  %t103 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t95, <4 x double> %t102, <4 x double> %t94)
  %t104 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0xBDA8FAE9BE8838D4), <4 x double> %t96, <4 x double> splat (double 0x3E21EE9EBDB4B1C4))
  %t105 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t104, <4 x double> %t96, <4 x double> splat (double 0xBE927E4F809C52AD))
  %t106 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t105, <4 x double> %t96, <4 x double> splat (double 0x3EFA01A019CB1590))
  %t107 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t106, <4 x double> %t96, <4 x double> splat (double 0xBF56C16C16C15177))
  %t108 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t107, <4 x double> %t96, <4 x double> splat (double 0x3FA555555555554C))
  %t109 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t108, <4 x double> %t96, <4 x double> splat (double 0xBFE0000000000000))
  %t110 = call <4 x double> @llvm.fma.v4f64(<4 x double> %t96, <4 x double> %t109, <4 x double> splat (double 0x3FF0000000000000))
  %t111 = and <4 x i64> %t90, splat (i64 1)
  %t112 = icmp ne <4 x i64> %t111, splat (i64 0)
  %t113 = shl <4 x i64> %t90, splat (i64 62)
  %t114 = and <4 x i64> %t113, splat (i64 -9223372036854775808)
  %t115 = add <4 x i64> %t90, splat (i64 1)
  %t116 = shl <4 x i64> %t115, splat (i64 62)
  %t117 = and <4 x i64> %t116, splat (i64 -9223372036854775808)
  %t118 = select <4 x i1> %t112, <4 x double> %t110, <4 x double> %t103
  %t119 = bitcast <4 x double> %t118 to <4 x i64>
  %t120 = xor <4 x i64> %t119, %t114
  %t121 = bitcast <4 x i64> %t120 to <4 x double>
  %t122 = select <4 x i1> %t112, <4 x double> %t103, <4 x double> %t110
  %t123 = bitcast <4 x double> %t122 to <4 x i64>
  %t124 = xor <4 x i64> %t123, %t117
  %t125 = bitcast <4 x i64> %t124 to <4 x double>
  %t126 = bitcast <4 x i1> %t80 to i4
  %t127 = icmp ne i4 %t126, 0
  br label %fast128
fast128:
  br i1 %t127, label %slow129, label %join130, !prof !0
slow129:
  %t131 = call <4 x double> @mend(<4 x double> %t40, <4 x double> %t121, i64 1)
  %t132 = call <4 x double> @mend(<4 x double> %t40, <4 x double> %t125, i64 2)
  br label %join130
join130:
  %t133 = phi <4 x double> [ %t121, %fast128 ], [ %t131, %slow129 ]
  %t134 = phi <4 x double> [ %t125, %fast128 ], [ %t132, %slow129 ]
  %t135 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x40239EB851EB851F), <4 x double> %t133, <4 x double> %t77)
  %p136 = getelementptr ptr, ptr %args, i64 3
  %p137 = load ptr, ptr %p136
  %p138 = getelementptr i64, ptr %steps, i64 3
  %t139 = load i64, ptr %p138
  %p140 = getelementptr i64, ptr %steps, i64 7
  %t141 = load i64, ptr %p140
  %t142 = mul i64 %row, %t139
  %p143 = getelementptr i8, ptr %p137, i64 %t142
  %t147 = icmp eq i64 %t141, 8
  br i1 %t147, label %rows144, label %columns145
rows144:
  %t148 = select i1 %more1, i64 %t139, i64 0
  %p149 = getelementptr i8, ptr %p143, i64 %t148
  %t150 = select i1 %more2, i64 %t139, i64 0
  %p151 = getelementptr i8, ptr %p149, i64 %t150
  %t152 = select i1 %more3, i64 %t139, i64 0
  %p153 = getelementptr i8, ptr %p151, i64 %t152
  %t154 = shufflevector <4 x double> %t135, <4 x double> splat (double 0x0000000000000000), <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t155 = shufflevector <4 x double> %t135, <4 x double> splat (double 0x0000000000000000), <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t156 = shufflevector <4 x double> splat (double 0x0000000000000000), <4 x double> splat (double 0x0000000000000000), <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t157 = shufflevector <4 x double> splat (double 0x0000000000000000), <4 x double> splat (double 0x0000000000000000), <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t158 = shufflevector <4 x double> %t154, <4 x double> %t156, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t159 = shufflevector <4 x double> %t154, <4 x double> %t156, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t160 = shufflevector <4 x double> %t155, <4 x double> %t157, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t161 = shufflevector <4 x double> %t155, <4 x double> %t157, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %p162 = getelementptr i8, ptr %p143, i64 0
  call void @llvm.masked.store.v4f64.p0(<4 x double> %t158, ptr %p162, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>)
  %p163 = getelementptr i8, ptr %p149, i64 0
  call void @llvm.masked.store.v4f64.p0(<4 x double> %t159, ptr %p163, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>)
  %p164 = getelementptr i8, ptr %p151, i64 0
  call void @llvm.masked.store.v4f64.p0(<4 x double> %t160, ptr %p164, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>)
  %p165 = getelementptr i8, ptr %p153, i64 0
  call void @llvm.masked.store.v4f64.p0(<4 x double> %t161, ptr %p165, i32 8, <4 x i1> <i1 true, i1 false, i1 false, i1 false>)
  br label %on146
columns145:
  store <4 x double> %t135, ptr %p143, align 8
  br label %on146
on146:
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
