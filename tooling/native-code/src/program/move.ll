; Move bytes that may overlap: all of a short range is read before it is written; of a longer one
; the last bytes, or going down the first, are read first.
define internal void @move(ptr %to, ptr %from, i64 %n) #3 {
  %big = icmp ugt i64 %n, 32
  br i1 %big, label %long, label %short
short:
  %some16 = icmp uge i64 %n, 16
  br i1 %some16, label %two16, label %below16
below16:
  %some8 = icmp uge i64 %n, 8
  br i1 %some8, label %two8, label %below8
below8:
  %some4 = icmp uge i64 %n, 4
  br i1 %some4, label %two4, label %below4
below4:
  %some2 = icmp uge i64 %n, 2
  br i1 %some2, label %two2, label %below2
below2:
  %some1 = icmp eq i64 %n, 1
  br i1 %some1, label %one, label %done
one:
  %byte = load volatile i8, ptr %from, align 1
  store volatile i8 %byte, ptr %to, align 1
  ret void
two2:
  %o2 = sub i64 %n, 2
  %f2 = getelementptr i8, ptr %from, i64 %o2
  %t2 = getelementptr i8, ptr %to, i64 %o2
  %a2 = load volatile i16, ptr %from, align 1
  %b2 = load volatile i16, ptr %f2, align 1
  store volatile i16 %a2, ptr %to, align 1
  store volatile i16 %b2, ptr %t2, align 1
  ret void
two4:
  %o4 = sub i64 %n, 4
  %f4 = getelementptr i8, ptr %from, i64 %o4
  %t4 = getelementptr i8, ptr %to, i64 %o4
  %a4 = load volatile i32, ptr %from, align 1
  %b4 = load volatile i32, ptr %f4, align 1
  store volatile i32 %a4, ptr %to, align 1
  store volatile i32 %b4, ptr %t4, align 1
  ret void
two8:
  %o8 = sub i64 %n, 8
  %f8 = getelementptr i8, ptr %from, i64 %o8
  %t8 = getelementptr i8, ptr %to, i64 %o8
  %a8 = load volatile i64, ptr %from, align 1
  %b8 = load volatile i64, ptr %f8, align 1
  store volatile i64 %a8, ptr %to, align 1
  store volatile i64 %b8, ptr %t8, align 1
  ret void
two16:
  %o16 = sub i64 %n, 16
  %f16 = getelementptr i8, ptr %from, i64 %o16
  %t16 = getelementptr i8, ptr %to, i64 %o16
  %a16 = load volatile <16 x i8>, ptr %from, align 1
  %b16 = load volatile <16 x i8>, ptr %f16, align 1
  store volatile <16 x i8> %a16, ptr %to, align 1
  store volatile <16 x i8> %b16, ptr %t16, align 1
  ret void
long:
  %start = ptrtoint ptr %from to i64
  %target = ptrtoint ptr %to to i64
  %distance = sub i64 %target, %start
  %last = sub i64 %n, 16
  %down = icmp ult i64 %distance, %n
  br i1 %down, label %backward, label %forward
forward:
  %f_end = getelementptr i8, ptr %from, i64 %last
  %tail = load volatile <16 x i8>, ptr %f_end, align 1
  br label %up
up:
  %i = phi i64 [ 0, %forward ], [ %i2, %up ]
  %fi = getelementptr i8, ptr %from, i64 %i
  %ti = getelementptr i8, ptr %to, i64 %i
  %vi = load volatile <16 x i8>, ptr %fi, align 1
  store volatile <16 x i8> %vi, ptr %ti, align 1
  %i2 = add i64 %i, 16
  %more = icmp ult i64 %i2, %last
  br i1 %more, label %up, label %after_up
after_up:
  %t_end = getelementptr i8, ptr %to, i64 %last
  store volatile <16 x i8> %tail, ptr %t_end, align 1
  ret void
backward:
  %front = load volatile <16 x i8>, ptr %from, align 1
  br label %downward
downward:
  %j = phi i64 [ %last, %backward ], [ %j2, %downward ]
  %fj = getelementptr i8, ptr %from, i64 %j
  %tj = getelementptr i8, ptr %to, i64 %j
  %vj = load volatile <16 x i8>, ptr %fj, align 1
  store volatile <16 x i8> %vj, ptr %tj, align 1
  %j2 = sub i64 %j, 16
  %again = icmp sgt i64 %j2, 0
  br i1 %again, label %downward, label %after_down
after_down:
  store volatile <16 x i8> %front, ptr %to, align 1
  ret void
done:
  ret void
}

; Set bytes: the last 16 of a long range, then the others from the start.
define internal void @set(ptr %to, i8 %byte, i64 %n) #3 {
  %big = icmp uge i64 %n, 16
  br i1 %big, label %long, label %each
long:
  %one = insertelement <16 x i8> zeroinitializer, i8 %byte, i32 0
  %all = shufflevector <16 x i8> %one, <16 x i8> zeroinitializer, <16 x i32> zeroinitializer
  %last = sub i64 %n, 16
  %t_end = getelementptr i8, ptr %to, i64 %last
  store volatile <16 x i8> %all, ptr %t_end, align 1
  br label %up
up:
  %i = phi i64 [ 0, %long ], [ %i2, %up ]
  %ti = getelementptr i8, ptr %to, i64 %i
  store volatile <16 x i8> %all, ptr %ti, align 1
  %i2 = add i64 %i, 16
  %more = icmp ult i64 %i2, %last
  br i1 %more, label %up, label %done
each:
  %j = phi i64 [ 0, %0 ], [ %j2, %store ]
  %rest = icmp ult i64 %j, %n
  br i1 %rest, label %store, label %done
store:
  %tj = getelementptr i8, ptr %to, i64 %j
  store volatile i8 %byte, ptr %tj, align 1
  %j2 = add i64 %j, 1
  br label %each
done:
  ret void
}
