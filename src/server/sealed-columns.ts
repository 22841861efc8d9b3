import { IDEMPOTENT_ANSWER } from '#edge/idempotency.ts'
import type { SealedColumn } from '#lib/sealed-columns.ts'
import { SIGN_IN_VERIFIER } from './auth/index.ts'
import { DATABASE_PASSWORDS } from './databases/index.ts'

/** Every column that holds sealed values; `sealed-columns.test.ts` proves that none is left out. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  DATABASE_PASSWORDS.owner,
  DATABASE_PASSWORDS.reader,
  SIGN_IN_VERIFIER,
  IDEMPOTENT_ANSWER,
]
