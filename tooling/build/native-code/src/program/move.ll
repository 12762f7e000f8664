; Both take offsets, which are in bounds, and not addresses: so each access is one of the memory's
; base and 32 bits, as those of other functions, and can be proved like them.

; The address of an offset, of which LLVM knows nothing: where all calls have the same constant, it would
; compute addresses from others.
define internal ptr @at(ptr %mem, i32 %start, i32 %more) #1 {
  %known = add i32 %start, %more
  %wide = call i64 asm "movl $1, ${0:k}", "=r,r"(i32 %known)
  %address = getelementptr i8, ptr %mem, i64 %wide
  ret ptr %address
}

; Move bytes that may overlap: all of a short range is read before it is written; of a longer one
; the last bytes, or going down the first, are read first.
define internal void @move(ptr %mem, i32 %to, i32 %from, i32 %n) #3 {
  %source = call ptr @at(ptr %mem, i32 %from, i32 0)
  %target = call ptr @at(ptr %mem, i32 %to, i32 0)
  %big = icmp ugt i32 %n, 32
  br i1 %big, label %long, label %short
short:
  %some16 = icmp uge i32 %n, 16
  br i1 %some16, label %two16, label %below16
below16:
  %some8 = icmp uge i32 %n, 8
  br i1 %some8, label %two8, label %below8
below8:
  %some4 = icmp uge i32 %n, 4
  br i1 %some4, label %two4, label %below4
below4:
  %some2 = icmp uge i32 %n, 2
  br i1 %some2, label %two2, label %below2
below2:
  %some1 = icmp eq i32 %n, 1
  br i1 %some1, label %one, label %done
one:
  %byte = load volatile i8, ptr %source, align 1
  store volatile i8 %byte, ptr %target, align 1
  ret void
two2:
  %o2 = sub i32 %n, 2
  %f2 = call ptr @at(ptr %mem, i32 %from, i32 %o2)
  %t2 = call ptr @at(ptr %mem, i32 %to, i32 %o2)
  %a2 = load volatile i16, ptr %source, align 1
  %b2 = load volatile i16, ptr %f2, align 1
  store volatile i16 %a2, ptr %target, align 1
  store volatile i16 %b2, ptr %t2, align 1
  ret void
two4:
  %o4 = sub i32 %n, 4
  %f4 = call ptr @at(ptr %mem, i32 %from, i32 %o4)
  %t4 = call ptr @at(ptr %mem, i32 %to, i32 %o4)
  %a4 = load volatile i32, ptr %source, align 1
  %b4 = load volatile i32, ptr %f4, align 1
  store volatile i32 %a4, ptr %target, align 1
  store volatile i32 %b4, ptr %t4, align 1
  ret void
two8:
  %o8 = sub i32 %n, 8
  %f8 = call ptr @at(ptr %mem, i32 %from, i32 %o8)
  %t8 = call ptr @at(ptr %mem, i32 %to, i32 %o8)
  %a8 = load volatile i64, ptr %source, align 1
  %b8 = load volatile i64, ptr %f8, align 1
  store volatile i64 %a8, ptr %target, align 1
  store volatile i64 %b8, ptr %t8, align 1
  ret void
two16:
  %o16 = sub i32 %n, 16
  %f16 = call ptr @at(ptr %mem, i32 %from, i32 %o16)
  %t16 = call ptr @at(ptr %mem, i32 %to, i32 %o16)
  %a16 = load volatile <16 x i8>, ptr %source, align 1
  %b16 = load volatile <16 x i8>, ptr %f16, align 1
  store volatile <16 x i8> %a16, ptr %target, align 1
  store volatile <16 x i8> %b16, ptr %t16, align 1
  ret void
long:
  %distance = sub i32 %to, %from
  %last = sub i32 %n, 16
  %down = icmp ult i32 %distance, %n
  br i1 %down, label %backward, label %forward
forward:
  %f_end = call ptr @at(ptr %mem, i32 %from, i32 %last)
  %tail = load volatile <16 x i8>, ptr %f_end, align 1
  br label %up
up:
  %i = phi i32 [ 0, %forward ], [ %i2, %up ]
  %fi = call ptr @at(ptr %mem, i32 %from, i32 %i)
  %ti = call ptr @at(ptr %mem, i32 %to, i32 %i)
  %vi = load volatile <16 x i8>, ptr %fi, align 1
  store volatile <16 x i8> %vi, ptr %ti, align 1
  %i2 = add i32 %i, 16
  %more = icmp ult i32 %i2, %last
  br i1 %more, label %up, label %after_up
after_up:
  %t_end = call ptr @at(ptr %mem, i32 %to, i32 %last)
  store volatile <16 x i8> %tail, ptr %t_end, align 1
  ret void
backward:
  %front = load volatile <16 x i8>, ptr %source, align 1
  br label %downward
downward:
  %j = phi i32 [ %last, %backward ], [ %j2, %downward ]
  %fj = call ptr @at(ptr %mem, i32 %from, i32 %j)
  %tj = call ptr @at(ptr %mem, i32 %to, i32 %j)
  %vj = load volatile <16 x i8>, ptr %fj, align 1
  store volatile <16 x i8> %vj, ptr %tj, align 1
  %j2 = sub i32 %j, 16
  %again = icmp ugt i32 %j, 16
  br i1 %again, label %downward, label %after_down
after_down:
  store volatile <16 x i8> %front, ptr %target, align 1
  ret void
done:
  ret void
}

; Set bytes: the last 16 of a long range, then the others from the start.
define internal void @set(ptr %mem, i32 %to, i8 %byte, i32 %n) #3 {
  %big = icmp uge i32 %n, 16
  br i1 %big, label %long, label %each
long:
  %one = insertelement <16 x i8> zeroinitializer, i8 %byte, i32 0
  %all = shufflevector <16 x i8> %one, <16 x i8> zeroinitializer, <16 x i32> zeroinitializer
  %last = sub i32 %n, 16
  %t_end = call ptr @at(ptr %mem, i32 %to, i32 %last)
  store volatile <16 x i8> %all, ptr %t_end, align 1
  br label %up
up:
  %i = phi i32 [ 0, %long ], [ %i2, %up ]
  %ti = call ptr @at(ptr %mem, i32 %to, i32 %i)
  store volatile <16 x i8> %all, ptr %ti, align 1
  %i2 = add i32 %i, 16
  %more = icmp ult i32 %i2, %last
  br i1 %more, label %up, label %done
each:
  %j = phi i32 [ 0, %0 ], [ %j2, %store ]
  %rest = icmp ult i32 %j, %n
  br i1 %rest, label %store, label %done
store:
  %tj = call ptr @at(ptr %mem, i32 %to, i32 %j)
  store volatile i8 %byte, ptr %tj, align 1
  %j2 = add i32 %j, 1
  br label %each
done:
  ret void
}
