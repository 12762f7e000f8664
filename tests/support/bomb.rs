//! Components that are small and cost a compiler much.

/// Parameters of each block: the most that WebAssembly allows.
const WIDTH: usize = 1000;

/// A component of about `bytes` bytes with one function of many blocks, each of
/// which has a thousand parameters and may be left with a thousand values.
pub fn bomb(bytes: usize) -> Vec<u8> {
    // local.get 0, br_if 0: in a block of type 0, which pushes what it takes.
    const ROUND: &[u8] = &[0x02, 0x00, 0x20, 0x00, 0x0d, 0x00, 0x0b];
    let mut body = vec![0x00];
    (0..WIDTH).for_each(|_| body.extend([0x41, 0x00]));
    (0..bytes.saturating_sub(body.len()) / ROUND.len()).for_each(|_| body.extend(ROUND));
    (0..WIDTH).for_each(|_| body.push(0x1a));
    body.push(0x0b);
    let mut code = vec![0x01];
    code.extend(unsigned_leb128(body.len()));
    code.extend(body);
    component(&module(&[(1, types()), (3, vec![0x01, 0x01]), (10, code)]))
}

/// A component whose only function is empty.
pub fn harmless() -> Vec<u8> {
    component(&module(&[(1, types()), (3, vec![0x01, 0x01]), (10, vec![1, 2, 0, 0x0b])]))
}

/// Type 0: a thousand integers to a thousand; type 1: one integer to nothing.
fn types() -> Vec<u8> {
    let many = [&unsigned_leb128(WIDTH)[..], &[0x7f; WIDTH]].concat();
    [&[0x02, 0x60][..], &many, &many, &[0x60, 0x01, 0x7f, 0x00]].concat()
}

fn module(sections: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    sections.iter().for_each(|(id, content)| section(&mut module, *id, content));
    module
}

/// A component with a module in it.
fn component(module: &[u8]) -> Vec<u8> {
    let mut component = super::artifact::EMPTY_COMPONENT.to_vec();
    section(&mut component, 1, module);
    component
}

/// Append a section.
pub fn section(bytes: &mut Vec<u8>, id: u8, content: &[u8]) {
    bytes.push(id);
    bytes.extend(unsigned_leb128(content.len()));
    bytes.extend(content);
}

/// Append a custom section.
pub fn custom_section(bytes: &mut Vec<u8>, name: &str, content: &[u8]) {
    let named = [&unsigned_leb128(name.len())[..], name.as_bytes(), content].concat();
    section(bytes, 0, &named);
}

fn unsigned_leb128(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}
