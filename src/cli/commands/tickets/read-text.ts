import { HintedError } from '../../command/hinted-error.ts'
import type { Cli } from '../../terminal/cli.ts'

/** Returns the text of --body, or what stands on standard input when it is not a terminal. */
export async function readText(body: string | undefined, cli: Cli): Promise<string> {
  if (body !== undefined) return body
  const text = cli.interactive ? '' : await cli.readStdin()
  if (text.trim() !== '') return text
  throw new HintedError('INVALID_REQUEST', 'There is no text.', 'Give it with --body, or on standard input.')
}
