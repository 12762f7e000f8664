// What scripts can use beyond the language. Evaluates to a function that gets the functions of Rust,
// defines the globals, and returns the function that completes a script's export.
(native) => {
    "use strict";
    const fail = (message) => { throw new TypeError(message); };

    class Encoder {
        get encoding() { return "utf-8"; }
        encode(text = "") { return native.encode(String(text)); }
    }
    class Decoder {
        get encoding() { return "utf-8"; }
        decode(bytes = new Uint8Array()) {
            const view = ArrayBuffer.isView(bytes)
                ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
                : new Uint8Array(bytes);
            return native.decode(view);
        }
    }

    // sql`SELECT ${value}`: the rows as objects. sql.each`…`: the same, one row at a time.
    const sql = (strings, ...values) => native.all(strings.join("?"), values);
    sql.each = function* (strings, ...values) {
        const statement = native.open(strings.join("?"), values);
        try {
            for (let row; (row = native.next(statement)) !== null;) yield row;
        } finally {
            native.close(statement);
        }
    };

    const log = (...values) => native.log(values.map(String).join(" "));
    Object.assign(globalThis, {
        extension: (definition) => definition,
        sql,
        TextEncoder: Encoder,
        TextDecoder: Decoder,
        console: { log, info: log, warn: log, error: log, debug: log },
    });

    const object = (value, what) =>
        value !== null && typeof value === "object" && !Array.isArray(value) ? value : fail(`${what} must be an object`);
    const known = (value, what, names) => {
        for (const name of Object.keys(object(value, what))) {
            names.includes(name) || fail(`${what} has no option "${name}"; it has ${names.join(", ")}`);
        }
        return value;
    };
    const callable = (value, what) => typeof value === "function" ? value : fail(`${what} must be a function`);
    const one = (value, what, choices) =>
        choices.includes(value) ? value : fail(`${what} must be one of: ${choices.join(", ")}`);
    const text = (value, what) => typeof value === "string" ? value : fail(`${what} must be a string`);
    const texts = (value, what) =>
        Array.isArray(value) ? value.map((item) => text(item, `each of ${what}`)) : fail(`${what} must be an array`);
    const count = (value, what) => {
        if (value === "any") return -1;
        return Number.isInteger(value) && value >= 0 && value <= 127 ? value : fail(`${what} must be 0 to 127, or "any"`);
    };
    const risk = (value = "ordinary", what) => one(value, `risk of ${what}`, ["innocuous", "ordinary", "direct-only"]);

    const COMMON = ["arguments", "deterministic", "risk"];
    const common = (name, kind, options, width) => ({
        name,
        kind,
        arguments: count(options.arguments ?? width, `arguments of ${name}`),
        deterministic: Boolean(options.deterministic),
        risk: risk(options.risk, name),
    });

    const scalar = ([name, given]) => {
        const options = typeof given === "function" ? { call: given } : known(given, name, ["call", ...COMMON]);
        const call = callable(options.call, `call of ${name}`);
        return { ...common(name, "scalar", options, call.length), call };
    };

    const aggregate = ([name, given]) => {
        const parts = ["start", "step", "inverse", "value", "finish"];
        const options = known(given, name, [...parts, ...COMMON]);
        const step = callable(options.step, `step of ${name}`);
        const finish = callable(options.finish ?? ((state) => state), `finish of ${name}`);
        const start = callable(options.start ?? (() => undefined), `start of ${name}`);
        const window = options.inverse === undefined ? {} : {
            inverse: callable(options.inverse, `inverse of ${name}`),
            value: callable(options.value ?? finish, `value of ${name}`),
        };
        const kind = options.inverse === undefined ? "aggregate" : "window";
        return { ...common(name, kind, options, Math.max(step.length - 1, 0)), start, step, finish, ...window };
    };

    // Its tokens as arrays [token, start, end, whether it is a synonym], whatever the script gives.
    const tokenizer = ([name, given]) => {
        const options = typeof given === "function" ? { call: given } : known(given, name, ["call", "check"]);
        const call = callable(options.call, `call of ${name}`);
        const check = callable(options.check ?? (() => undefined), `check of ${name}`);
        const token = (given) => {
            const [text, start, end, synonym = false] = Array.isArray(given) ? given : fail("a token is [token, start, end]");
            return [String(text), Number(start), Number(end), Boolean(synonym)];
        };
        return {
            name,
            kind: "tokenizer",
            arguments: -1,
            deterministic: false,
            risk: "innocuous",
            call: (...given) => Array.from(call(...given), token),
            check: (words) => { check(words); },
        };
    };

    const collation = ([name, compare]) => ({ name, compare: callable(compare, name) });

    // The name of a column, which its declaration begins with.
    const columnName = (declaration) => declaration.trim().match(/^("[^"]*"|\[[^\]]*\]|`[^`]*`|\S+)/)?.[0]
        .replace(/^["[`]|["\]`]$/g, "") ?? fail("a column has no name");

    const table = ([name, given]) => {
        const options = known(given, name, ["columns", "parameters", "rows", "risk"]);
        const columns = texts(options.columns, `columns of ${name}`);
        const parameters = texts(options.parameters ?? [], `parameters of ${name}`);
        columns.length > 0 || fail(`${name} must have a column`);
        parameters.length <= 31 || fail(`${name} may have at most 31 parameters`);
        const all = [...columns, ...parameters.map((parameter) => `${parameter} HIDDEN`)];
        return {
            name,
            declaration: `CREATE TABLE x(${all.join(", ")})`,
            columns: columns.map(columnName),
            parameters: parameters.length,
            rows: callable(options.rows, `rows of ${name}`),
            risk: risk(options.risk, name),
        };
    };

    const entries = (value = {}, what) => Object.entries(object(value, what));
    const PARTS = ["name", "version", "description", "needs", "functions", "aggregates", "tokenizers", "collations", "tables"];
    return (exported) => {
        exported === undefined && fail("the script has no default export; write `export default extension({ … })`");
        const given = known(exported, "extension", PARTS);
        return {
            name: text(given.name, "name of the extension"),
            version: text(given.version ?? "0.1.0", "version of the extension"),
            description: text(given.description ?? "", "description of the extension"),
            needs: texts(given.needs ?? [], "needs").map((need) => one(need, "each of needs", ["sql", "sql:ro"])),
            functions: [
                ...entries(given.functions, "functions").map(scalar),
                ...entries(given.aggregates, "aggregates").map(aggregate),
                ...entries(given.tokenizers, "tokenizers").map(tokenizer),
            ],
            collations: entries(given.collations, "collations").map(collation),
            tables: entries(given.tables, "tables").map(table),
        };
    };
}
