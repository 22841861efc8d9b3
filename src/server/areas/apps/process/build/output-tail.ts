const MAX_CHARS = 64 * 1024

/** Keeps the last lines of an output, up to 64 Ki characters. A longer line is cut at its beginning. */
export function createOutputTail(): { add(line: string): void; text(): string } {
  const lines: string[] = []
  let chars = 0
  return {
    add(line) {
      const cut = line.slice(-MAX_CHARS)
      lines.push(cut)
      chars += cut.length + 1
      while (chars - lines[0]!.length - 1 >= MAX_CHARS) chars -= lines.shift()!.length + 1
    },
    text: () => lines.join('\n').slice(-MAX_CHARS),
  }
}
