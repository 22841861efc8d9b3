/** A statement about an index names it, so that a broken one can be found. */
export type IndexStatement = { does: 'create' | 'drop'; schema: string; index: string; text: string }

/** One statement of a file that runs outside a transaction. `validate` reads a table that others may read and write. */
export type OutsideStatement = IndexStatement | { does: 'validate'; text: string }

const NAME = '([a-z_][a-z0-9_]*)'
const CREATE = new RegExp(
  `^create\\s+(?:unique\\s+)?index\\s+concurrently\\s+if\\s+not\\s+exists\\s+${NAME}\\s+on\\s+${NAME}\\.${NAME}\\s`,
  'i',
)
const VALIDATE = new RegExp(`^alter\\s+table\\s+${NAME}\\.${NAME}\\s+validate\\s+constraint\\s+${NAME}$`, 'i')
const DROP = new RegExp(`^drop\\s+index\\s+concurrently\\s+if\\s+exists\\s+${NAME}\\.${NAME}$`, 'i')

/** Returns undefined when the text holds anything but statements that may safely run again after a crash. */
export function readOutsideStatements(text: string): OutsideStatement[] | undefined {
  const parts = text
    .replace(/--.*$/gm, '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const statements = parts.map(toStatement)
  const isComplete = statements.length > 0 && statements.every((statement) => statement !== undefined)
  return isComplete ? statements : undefined
}

function toStatement(text: string): OutsideStatement | undefined {
  if (VALIDATE.test(text)) return { does: 'validate', text }
  const [, index, schema] = CREATE.exec(text) ?? []
  if (index && schema) return { does: 'create', schema: schema.toLowerCase(), index: index.toLowerCase(), text }
  const [, droppedFrom, dropped] = DROP.exec(text) ?? []
  if (!droppedFrom || !dropped) return undefined
  return { does: 'drop', schema: droppedFrom.toLowerCase(), index: dropped.toLowerCase(), text }
}

/** The same statement for an engine with one session, where there is nobody to build an index beside. */
export function withoutConcurrently({ text }: OutsideStatement): string {
  return text.replace(/\bconcurrently\s+/i, '')
}
