const LENGTH_OF_NOTHING = /^TypeError: Cannot read properties of (?:undefined|null) \(reading 'length'\)/
const LENGTH = /([A-Za-z_$][\w$.]*)\.length\b(?!\s*=[^=])/

/**
 * Corrects the one kind of fault that this example knows, in the function that the stack trace names: the length of
 * something that is missing counts as 0. Returns `{ edit, summary }`, or `{ reason }` why it changes nothing.
 */
export function correct(text, { template, symbol, path }) {
  if (!LENGTH_OF_NOTHING.test(template)) return { reason: 'This example cannot correct such an error.' }
  const lines = functionLines(text, symbol).filter((line) => LENGTH.test(line))
  const [line] = lines
  if (lines.length !== 1 || text.split(line).length !== 2)
    return { reason: `Where it happens in ${path} is not certain.` }
  const [, owner] = LENGTH.exec(line)
  return {
    edit: { old: line, new: line.replace(LENGTH, '($1?.length ?? 0)') },
    summary: `${symbol} in ${path} reads the length of ${owner}, which can be missing. The proposed change counts it as 0.`,
  }
}

/** The lines of a function that is declared at the beginning of a line, down to the brace that ends it. */
function functionLines(text, symbol) {
  const lines = text.split('\n')
  const first = lines.findIndex(
    (line) => /^(?:export |default |async )*function\b/.test(line) && declares(line, symbol),
  )
  if (first === -1) return []
  const length = lines.slice(first).findIndex((line) => line.startsWith('}'))
  return lines.slice(first, length === -1 ? undefined : first + length)
}

function declares(line, symbol) {
  return symbol !== null && line.includes(`function ${symbol}(`)
}
