import type { Client } from '#contract/core/client.ts'
import { splitNames } from '#contract/data-sources/table-name.ts'
import type { ConfirmFlags, LoginFlags, OutputFlags } from '../../../command/command.ts'
import { usageError } from '../../../command/hinted-error.ts'
import type { Connection } from './connection.ts'

export type EmbedFlags = OutputFlags &
  LoginFlags &
  ConfirmFlags & {
    table?: string
    text?: string
    column?: string
    model?: string
    watch?: boolean
    dryRun?: boolean
    switch?: boolean
    questions?: string
    withoutQuestions?: boolean
    force?: boolean
    dropOld?: boolean
  }

/** The instance, the person's own connection to the database, and the name of the database. */
export type Opened = { readonly client: Client; readonly db: Connection; readonly name: string }

/** Reads the column names of `--text`. */
export function readColumns(text: string): string[] {
  const columns = splitNames(text, ',')
  if (columns && !columns.includes('')) return columns
  throw usageError(`--text must be column names with commas between them, not ${text}.`)
}
