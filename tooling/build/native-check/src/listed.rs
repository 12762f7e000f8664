//! The instructions that LLVM makes of what is translated, for x86-64-v2.

use iced_x86::Mnemonic::{self, *};

/// Whether an image may have the instruction.
pub fn is_listed(mnemonic: Mnemonic) -> bool {
    INTEGER.contains(&mnemonic)
        || CONDITIONAL.contains(&mnemonic)
        || FLOAT.contains(&mnemonic)
        || VECTOR.contains(&mnemonic)
}

const INTEGER: &[Mnemonic] = &[
    Adc, Add, And, Bsf, Bsr, Bswap, Bt, Btc, Btr, Bts, Call, Cbw, Cdq, Cdqe, Cmp, Cqo, Cwd, Cwde,
    Dec, Div, Idiv, Imul, Inc, Int3, Jmp, Lea, Leave, Mov, Movsx, Movsxd, Movzx, Mul, Neg, Nop,
    Not, Or, Pop, Popcnt, Push, Ret, Rol, Ror, Sar, Sbb, Shl, Shld, Shr, Shrd, Sub, Test, Tzcnt,
    Ud2, Xchg, Xor,
];

const CONDITIONAL: &[Mnemonic] = &[
    Cmova, Cmovae, Cmovb, Cmovbe, Cmove, Cmovg, Cmovge, Cmovl, Cmovle, Cmovne, Cmovno, Cmovnp,
    Cmovns, Cmovo, Cmovp, Cmovs, Ja, Jae, Jb, Jbe, Je, Jg, Jge, Jl, Jle, Jne, Jno, Jnp, Jns, Jo,
    Jp, Js, Seta, Setae, Setb, Setbe, Sete, Setg, Setge, Setl, Setle, Setne, Setno, Setnp, Setns,
    Seto, Setp, Sets,
];

const FLOAT: &[Mnemonic] = &[
    Addpd, Addps, Addsd, Addss, Andnpd, Andnps, Andpd, Andps, Blendpd, Blendps, Blendvpd, Blendvps,
    Cmppd, Cmpps, Cmpsd, Cmpss, Comisd, Comiss, Cvtdq2pd, Cvtdq2ps, Cvtpd2ps, Cvtps2pd, Cvtsd2ss,
    Cvtsi2sd, Cvtsi2ss, Cvtss2sd, Cvttpd2dq, Cvttps2dq, Cvttsd2si, Cvttss2si, Divpd, Divps, Divsd,
    Divss, Haddpd, Haddps, Insertps, Maxpd, Maxps, Maxsd, Maxss, Minpd, Minps, Minsd, Minss,
    Movapd, Movaps, Movddup, Movhlps, Movhpd, Movhps, Movlhps, Movlpd, Movlps, Movmskpd, Movmskps,
    Movsd, Movshdup, Movsldup, Movss, Movupd, Movups, Mulpd, Mulps, Mulsd, Mulss, Orpd, Orps,
    Roundpd, Roundps, Roundsd, Roundss, Shufpd, Shufps, Sqrtpd, Sqrtps, Sqrtsd, Sqrtss, Subpd,
    Subps, Subsd, Subss, Ucomisd, Ucomiss, Unpckhpd, Unpckhps, Unpcklpd, Unpcklps, Xorpd, Xorps,
];

const VECTOR: &[Mnemonic] = &[
    Extractps, Movd, Movdqa, Movdqu, Movq, Pabsb, Pabsd, Pabsw, Packssdw, Packsswb, Packusdw,
    Packuswb, Paddb, Paddd, Paddq, Paddsb, Paddsw, Paddusb, Paddusw, Paddw, Palignr, Pand, Pandn,
    Pavgb, Pavgw, Pblendvb, Pblendw, Pcmpeqb, Pcmpeqd, Pcmpeqq, Pcmpeqw, Pcmpgtb, Pcmpgtd, Pcmpgtq,
    Pcmpgtw, Pextrb, Pextrd, Pextrq, Pextrw, Phaddd, Phaddw, Pinsrb, Pinsrd, Pinsrq, Pinsrw,
    Pmaddubsw, Pmaddwd, Pmaxsb, Pmaxsd, Pmaxsw, Pmaxub, Pmaxud, Pmaxuw, Pminsb, Pminsd, Pminsw,
    Pminub, Pminud, Pminuw, Pmovmskb, Pmovsxbd, Pmovsxbq, Pmovsxbw, Pmovsxdq, Pmovsxwd, Pmovsxwq,
    Pmovzxbd, Pmovzxbq, Pmovzxbw, Pmovzxdq, Pmovzxwd, Pmovzxwq, Pmuldq, Pmulhuw, Pmulhw, Pmulld,
    Pmullw, Pmuludq, Por, Psadbw, Pshufb, Pshufd, Pshufhw, Pshuflw, Psignb, Psignd, Psignw, Pslld,
    Pslldq, Psllq, Psllw, Psrad, Psraw, Psrld, Psrldq, Psrlq, Psrlw, Psubb, Psubd, Psubq, Psubsb,
    Psubsw, Psubusb, Psubusw, Psubw, Ptest, Punpckhbw, Punpckhdq, Punpckhqdq, Punpckhwd, Punpcklbw,
    Punpckldq, Punpcklqdq, Punpcklwd, Pxor,
];
