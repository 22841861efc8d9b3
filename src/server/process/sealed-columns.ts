import { IDEMPOTENT_ANSWER } from '#edge/idempotency/idempotency.ts'
import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'
import { APP_VARIABLES } from '../areas/apps/index.ts'
import { FLOW_RETURN, LINK_RETURN, SIGN_IN_VERIFIER } from '../areas/auth/index.ts'
import { DATABASE_PASSWORDS } from '../areas/databases/index.ts'
import {
  CHANNEL_SECRETS,
  CHAT_BOT_TOKENS,
  FOLLOW_LINK_TOKENS,
  KEPT_MAILS,
  SIGNING_SECRETS,
  SYSTEM_MAILS,
  UNSUBSCRIBE_TOKENS,
} from '../areas/notifications/index.ts'
import { CALL_INPUTS, CALL_RESULTS } from '../areas/pipelines/index.ts'

/** Every column that holds sealed values; `sealed-columns.test.ts` proves that none is left out. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  DATABASE_PASSWORDS.owner,
  DATABASE_PASSWORDS.reader,
  SIGN_IN_VERIFIER,
  FLOW_RETURN,
  LINK_RETURN,
  IDEMPOTENT_ANSWER,
  CHANNEL_SECRETS,
  CHAT_BOT_TOKENS,
  SIGNING_SECRETS,
  UNSUBSCRIBE_TOKENS,
  FOLLOW_LINK_TOKENS,
  SYSTEM_MAILS,
  KEPT_MAILS,
  APP_VARIABLES,
  CALL_INPUTS,
  CALL_RESULTS,
]
