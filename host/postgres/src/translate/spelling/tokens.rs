//! Tokens, as the parser knows them.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace, Word};

pub mod alterations;
mod compounds;
mod labels;
pub mod nothing;

const BLANK: Token = Token::Whitespace(Whitespace::Space);

/// Types of two words, which the parser does not know before a string; and their names of one word.
const TYPES: &[([Keyword; 2], &str)] = &[
    ([Keyword::DOUBLE, Keyword::PRECISION], "float8"),
    ([Keyword::CHARACTER, Keyword::VARYING], "varchar"),
];

/// Spell tokens as the parser does. Whether SQLite would not read them as they were.
pub fn tokens(all: &mut Vec<TokenWithSpan>) -> bool {
    alterations::spell(all);
    let mut is_changed = compounds::spell(all);
    let mut around = labels::Around::default();
    let mut at = 0;
    while at < all.len() {
        is_changed |= match &all[at].token {
            Token::Word(_) if around.are_columns() && labels::is_label(all, at) => {
                labels::quote(&mut all[at].token)
            }
            Token::Word(word) if word.quote_style.is_none() => match word.keyword {
                Keyword::ARRAY => array(all, at),
                Keyword::FOR => strength(all, at),
                Keyword::LIKE | Keyword::ILIKE => pattern(all, at),
                Keyword::ONLY => only(all, at),
                Keyword::SELECT => nothing::spell(all, at),
                Keyword::TABLE => table(all, at),
                Keyword::USING => using(all, at),
                Keyword::TRIM => trim(all, at),
                Keyword::CONCURRENTLY => concurrently(all, at),
                Keyword::DOUBLE | Keyword::CHARACTER => typed_string(all, at),
                Keyword::INTERVAL => rounded_interval(all, at),
                Keyword::NoKeyword if is_null_test(word) && is_after_operand(all, at) => {
                    spell(all, at..=at, &[Keyword::IS, Keyword::NULL])
                }
                _ => false,
            },
            Token::SingleQuotedString(_) | Token::EscapedStringLiteral(_) => join(all, at),
            Token::CustomBinaryOperator(_) => sign(all, at),
            _ => false,
        };
        all.get(at).into_iter().for_each(|one| around.pass(&one.token));
        at += 1;
    }
    is_changed
}

/// `1 <<-2`: an operator of these characters does not end with a sign, which is that of what follows.
fn sign(all: &mut Vec<TokenWithSpan>, at: usize) -> bool {
    let Token::CustomBinaryOperator(text) = &all[at].token else { return false };
    let (operator, sign) = match text.as_str() {
        "<<-" => (Token::ShiftLeft, Token::Minus),
        ">>-" => (Token::ShiftRight, Token::Minus),
        "<<+" => (Token::ShiftLeft, Token::Plus),
        ">>+" => (Token::ShiftRight, Token::Plus),
        "->-" => (Token::Arrow, Token::Minus),
        "->>-" => (Token::LongArrow, Token::Minus),
        _ => return false,
    };
    let span = all[at].span;
    all[at].token = operator;
    all.insert(at + 1, TokenWithSpan { token: sign, span });
    false
}

/// `text ARRAY` and `int ARRAY[3]` are types; `ARRAY[…]` and `ARRAY(…)` behind other words are values.
fn array(all: &mut Vec<TokenWithSpan>, at: usize) -> bool {
    use Keyword as K;
    let is_last = match before(all, at) {
        Some(Token::Word(word)) => match word.keyword {
            K::TEXT | K::VARCHAR | K::VARYING | K::CHAR | K::CHARACTER | K::UUID | K::BYTEA => true,
            K::INT | K::INTEGER | K::SMALLINT | K::BIGINT | K::INT2 | K::INT4 | K::INT8 => true,
            K::REAL | K::PRECISION | K::FLOAT4 | K::FLOAT8 | K::NUMERIC | K::DECIMAL => true,
            K::DATE | K::TIME | K::TIMESTAMP | K::TIMESTAMPTZ | K::ZONE | K::INTERVAL => true,
            K::BOOL | K::BOOLEAN | K::JSON | K::JSONB => true,
            K::AS => return false,
            _ => false,
        },
        Some(Token::RParen) => true,
        _ => return false,
    };
    let bracket = next(all, at).filter(|after| all[*after].token == Token::LBracket);
    let is_value = next(all, at).is_some_and(|after| all[after].token == Token::LParen);
    if is_value || (bracket.is_some() && !is_last) {
        return false;
    }
    if bracket.is_some() {
        all[at].token = BLANK;
    } else {
        let span = all[at].span;
        all[at].token = Token::LBracket;
        all.insert(at + 1, TokenWithSpan { token: Token::RBracket, span });
    }
    true
}

/// `FOR NO KEY UPDATE` locks as `FOR UPDATE` does, and `FOR KEY SHARE` as `FOR SHARE`.
fn strength(all: &mut [TokenWithSpan], at: usize) -> bool {
    let words =
        [&[Keyword::NO, Keyword::KEY, Keyword::UPDATE][..], &[Keyword::KEY, Keyword::SHARE]];
    let Some(found) = words.iter().find_map(|words| follow(all, at, words)) else { return false };
    for index in &found[..found.len() - 1] {
        all[*index].token = BLANK;
    }
    true
}

/// `LIKE ANY (…)` and `NOT ILIKE ALL (…)` are operators, as in PostgreSQL's own grammar.
fn pattern(all: &mut [TokenWithSpan], at: usize) -> bool {
    let words = [Keyword::ANY, Keyword::SOME, Keyword::ALL];
    let Some(quantifier) = words.iter().find_map(|word| follow(all, at, &[*word])) else {
        return false;
    };
    let opens = next(all, quantifier[0]).is_some_and(|next| all[next].token == Token::LParen);
    if !opens {
        return false;
    }
    let not = (0..at).rev().find(|index| !matches!(all[*index].token, Token::Whitespace(_)));
    let not = not.filter(|index| is_word(&all[*index].token, Keyword::NOT));
    let is_like = is_word(&all[at].token, Keyword::LIKE);
    all[at].token = match (is_like, not) {
        (true, None) => Token::DoubleTilde,
        (true, Some(_)) => Token::ExclamationMarkDoubleTilde,
        (false, None) => Token::DoubleTildeAsterisk,
        (false, Some(_)) => Token::ExclamationMarkDoubleTildeAsterisk,
    };
    if let Some(not) = not {
        all[not].token = BLANK;
    }
    true
}

/// `ONLY t` and `ONLY (t)`: no table has children.
fn only(all: &mut [TokenWithSpan], at: usize) -> bool {
    use Keyword as K;
    let is_before_table = match before(all, at) {
        Some(Token::Comma) => true,
        Some(Token::Word(word)) => {
            matches!(
                word.keyword,
                K::FROM | K::UPDATE | K::JOIN | K::TABLE | K::TRUNCATE | K::ON | K::USING
            )
        }
        _ => false,
    };
    if is_before_table {
        all[at].token = BLANK;
        parenthesized(all, at);
    }
    is_before_table
}

/// A table in parentheses is one without.
fn parenthesized(all: &mut [TokenWithSpan], at: usize) {
    let Some(open) = next(all, at).filter(|open| all[*open].token == Token::LParen) else { return };
    let close = (open..all.len()).find(|index| all[*index].token == Token::RParen);
    let is_name = |one: &TokenWithSpan| {
        matches!(one.token, Token::Word(_) | Token::Period | Token::Whitespace(_))
    };
    if let Some(close) = close.filter(|close| all[open + 1..*close].iter().all(is_name)) {
        all[open].token = BLANK;
        all[close].token = BLANK;
    }
}

/// `TABLE t`, where a query may begin.
fn table(all: &mut Vec<TokenWithSpan>, at: usize) -> bool {
    use Keyword as K;
    let may_begin = match before(all, at) {
        None | Some(Token::LParen | Token::RParen) => true,
        Some(Token::Word(word)) => match word.keyword {
            // `1 AS table` is a name.
            K::AS => begins_with(all, K::CREATE),
            K::UNION | K::INTERSECT | K::EXCEPT | K::ALL | K::DISTINCT => true,
            _ => false,
        },
        _ => false,
    };
    let is_named = next(all, at).is_some_and(|name| matches!(all[name].token, Token::Word(_)));
    may_begin && is_named && {
        let span = all[at].span;
        spell(all, at..=at, &[K::SELECT, K::FROM]);
        all.insert(at + 1, TokenWithSpan { token: Token::Mul, span });
        true
    }
}

/// `ORDER BY a USING <`; and `USING heap` of a table, which has no other form.
fn using(all: &mut [TokenWithSpan], at: usize) -> bool {
    let Some(after) = next(all, at) else { return false };
    let direction = match &all[after].token {
        Token::Lt => Token::make_keyword("ASC"),
        Token::Gt => Token::make_keyword("DESC"),
        Token::Word(word) if word.value.eq_ignore_ascii_case("heap") => BLANK,
        _ => return false,
    };
    all[at].token = direction;
    all[after].token = BLANK;
    true
}

/// `TRIM(LEADING FROM …)`: of spaces.
fn trim(all: &mut [TokenWithSpan], at: usize) -> bool {
    let Some(open) = next(all, at).filter(|open| all[*open].token == Token::LParen) else {
        return false;
    };
    let sides = [Keyword::BOTH, Keyword::LEADING, Keyword::TRAILING];
    let found = sides.into_iter().find_map(|side| follow(all, open, &[side, Keyword::FROM]));
    let Some(&[side, _]) = found.as_deref() else { return false };
    // Between the words is white space at least.
    all[side + 1].token = Token::SingleQuotedString(" ".to_owned());
    true
}

/// `DROP INDEX CONCURRENTLY`: nobody else uses the database meanwhile.
fn concurrently(all: &mut [TokenWithSpan], at: usize) -> bool {
    let is_drop = begins_with(all, Keyword::DROP);
    if is_drop {
        all[at].token = BLANK;
    }
    is_drop
}

/// `double precision '1.5'`.
fn typed_string(all: &mut [TokenWithSpan], at: usize) -> bool {
    for (words, name) in TYPES {
        let [first, second] = *words;
        let Some(&[second]) = (is_word(&all[at].token, first))
            .then(|| follow(all, at, &[second]))
            .flatten()
            .as_deref()
        else {
            continue;
        };
        let is_string = next(all, second)
            .is_some_and(|after| matches!(all[after].token, Token::SingleQuotedString(_)));
        if is_string {
            all[at].token = Token::make_word(name, None);
            all[second].token = BLANK;
            return true;
        }
    }
    false
}

/// `interval(2) '1 s'`, of which the parser forgets the digits: a cast.
fn rounded_interval(all: &mut Vec<TokenWithSpan>, at: usize) -> bool {
    let mut places = vec![at];
    for _ in 0..4 {
        let Some(place) = places.last().and_then(|place| next(all, *place)) else { return false };
        places.push(place);
    }
    let tokens: Vec<_> = places.iter().map(|place| &all[*place].token).collect();
    let [
        _,
        Token::LParen,
        Token::Number(..),
        Token::RParen,
        Token::SingleQuotedString(_) | Token::EscapedStringLiteral(_),
    ] = tokens[..]
    else {
        return false;
    };
    let mut cast = vec![all[places[4]].clone()];
    cast.push(TokenWithSpan { token: Token::DoubleColon, span: all[at].span });
    cast.extend(places[..4].iter().map(|place| all[*place].clone()));
    all.splice(at..=places[4], cast);
    true
}

/// `x ISNULL`; the parser knows NOTNULL.
fn is_null_test(word: &Word) -> bool {
    word.value.eq_ignore_ascii_case("isnull")
}

fn is_after_operand(all: &[TokenWithSpan], at: usize) -> bool {
    before(all, at).is_some_and(|token| match token {
        Token::Word(word) => {
            !matches!(word.keyword, Keyword::AS | Keyword::SELECT | Keyword::WHERE)
        }
        Token::Number(..)
        | Token::SingleQuotedString(_)
        | Token::Placeholder(_)
        | Token::RParen
        | Token::RBracket => true,
        _ => false,
    })
}

/// Strings with a line break between them are one.
fn join(all: &mut [TokenWithSpan], at: usize) -> bool {
    let mut is_changed = false;
    while let Some(after) = next(all, at) {
        let breaks = |one: &TokenWithSpan| {
            matches!(
                one.token,
                Token::Whitespace(Whitespace::Newline | Whitespace::SingleLineComment { .. })
            )
        };
        let (Token::SingleQuotedString(more), true) =
            (&all[after].token, all[at..after].iter().any(breaks))
        else {
            break;
        };
        let more = more.clone();
        if let Token::SingleQuotedString(text) | Token::EscapedStringLiteral(text) =
            &mut all[at].token
        {
            text.push_str(&more);
        }
        all[after].token = BLANK;
        is_changed = true;
    }
    is_changed
}

/// These keywords instead.
fn spell(
    all: &mut Vec<TokenWithSpan>,
    range: std::ops::RangeInclusive<usize>,
    words: &[Keyword],
) -> bool {
    let span = all[*range.start()].span;
    let word =
        |word: &Keyword| TokenWithSpan { token: Token::make_keyword(&format!("{word:?}")), span };
    all.splice(range, words.iter().map(word));
    true
}

fn begins_with(all: &[TokenWithSpan], keyword: Keyword) -> bool {
    let first = all.iter().find(|one| !matches!(one.token, Token::Whitespace(_)));
    first.is_some_and(|one| is_word(&one.token, keyword))
}

fn is_word(token: &Token, keyword: Keyword) -> bool {
    matches!(token, Token::Word(word) if word.keyword == keyword)
}

/// Where these words are, which come next.
fn follow(all: &[TokenWithSpan], at: usize, words: &[Keyword]) -> Option<Vec<usize>> {
    let mut after = at;
    let found = words.iter().map(|keyword| {
        after = next(all, after)?;
        is_word(&all[after].token, *keyword).then_some(after)
    });
    found.collect()
}

fn before(all: &[TokenWithSpan], at: usize) -> Option<&Token> {
    let tokens = all[..at].iter().rev().map(|one| &one.token);
    tokens.into_iter().find(|token| !matches!(token, Token::Whitespace(_)))
}

fn next(all: &[TokenWithSpan], at: usize) -> Option<usize> {
    (at + 1..all.len()).find(|index| !matches!(all[*index].token, Token::Whitespace(_)))
}
