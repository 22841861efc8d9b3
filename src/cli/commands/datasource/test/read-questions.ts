import { readFile } from 'node:fs/promises'
import { localError } from '../../../command/hinted-error.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { parseQuestions, type Question } from './questions.ts'

/** Reads the questions of a file, or of standard input for `-`. */
export async function readQuestions(file: string, cli: Pick<Cli, 'readStdin'>): Promise<Question[]> {
  return file === '-'
    ? parseQuestions(await cli.readStdin(), 'Standard input')
    : parseQuestions(await readText(file), file)
}

async function readText(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw localError(`Cannot read ${file}: ${cause.message}.`, cause, 'Check the name of the file.')
  })
}
