//! Tokenizers of FTS5: a function of the script that returns, or yields, `[token, start, end]`, with
//! offsets in the string that it got.

use rquickjs::{Array, Ctx, Exception, Object, Result, String as Text, Value as Js};
use sqlite_wasm_kit::{Error, Output, Purpose, Tokens, Value, code, tokenizer};

use crate::script::{Script, SqlFunction, missing};

/// The text as the script sees it, and where each of its UTF-16 units is in the bytes.
struct Seen {
    text: String,
    offsets: Vec<usize>,
}

impl Seen {
    /// Bytes that are not UTF-8 become U+FFFD.
    fn new(bytes: &[u8]) -> std::result::Result<Self, Error> {
        let no_memory = |_| Error::new(code::NOMEM, "there is no memory for the text");
        let (mut text, mut offsets, mut start) = (String::new(), Vec::new(), 0);
        text.try_reserve(bytes.len()).map_err(no_memory)?;
        // As many as there are bytes, or fewer, and the end.
        offsets.try_reserve_exact(bytes.len() + 1).map_err(no_memory)?;
        for chunk in bytes.utf8_chunks() {
            for letter in chunk.valid().chars() {
                offsets.extend(std::iter::repeat_n(start, letter.len_utf16()));
                start += letter.len_utf8();
            }
            text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                offsets.push(start);
                text.push(char::REPLACEMENT_CHARACTER);
                start += chunk.invalid().len();
            }
        }
        offsets.push(start);
        Ok(Self { text, offsets })
    }

    fn offset(&self, ctx: &Ctx<'_>, at: f64) -> Result<usize> {
        let is_whole = at.fract() == 0.0 && at >= 0.0;
        let found = is_whole.then(|| self.offsets.get(at as usize)).flatten();
        found.copied().ok_or_else(|| Exception::throw_range(ctx, "a token is not in the text"))
    }
}

/// Call a tokenizer of the script.
pub fn call(
    script: &Script,
    function: &'static SqlFunction,
    values: &mut [Value],
) -> sqlite_wasm_kit::Result<Output> {
    let name = &function.name;
    let Some(call) = &function.call else { return Err(missing(name)) };
    let check = |words: &[&str]| {
        let Some(check) = &function.check else { return Ok(()) };
        script.run(name, |ctx| check.clone().restore(ctx)?.call::<_, ()>((words.to_vec(),)))
    };
    let tokenize = |text: &tokenizer::Text<'_>, tokens: &mut Tokens| {
        let seen = Seen::new(text.bytes)?;
        let found = script.run(name, |ctx| {
            let about = Object::new(ctx.clone())?;
            about.set("purpose", purpose(text.purpose))?;
            match text.locale {
                Some(locale) => about.set("locale", locale)?,
                None => about.set("locale", Js::new_null(ctx.clone()))?,
            }
            about.set("words", text.words.to_vec())?;
            let given = Text::from_str(ctx.clone(), &seen.text)?;
            let all: Array<'_> = call.clone().restore(ctx)?.call((given, about))?;
            all.iter::<Array<'_>>()
                .map(|token| read(ctx, &seen, &token?))
                .collect::<Result<Vec<_>>>()
        })?;
        found.iter().try_for_each(|(token, [start, end], is_synonym)| {
            let add = if *is_synonym { Tokens::add_synonym } else { Tokens::add };
            add(tokens, token, *start, *end)
        })
    };
    tokenizer::answer(name, values, check, tokenize)
}

type Found = (String, [usize; 2], bool);

fn read(ctx: &Ctx<'_>, seen: &Seen, token: &Array<'_>) -> Result<Found> {
    let (start, end) = (seen.offset(ctx, token.get(1)?)?, seen.offset(ctx, token.get(2)?)?);
    Ok((token.get(0)?, [start, end], token.get(3)?))
}

fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Document => "document",
        Purpose::Query => "query",
        Purpose::Prefix => "prefix",
        Purpose::Auxiliary => "auxiliary",
    }
}
