import { STANDARD_SECRET_PREFIX } from '#contract/notifications/standard-webhooks.ts'
import { usageError } from '../../../command/hinted-error.ts'
import type { Cli } from '../../../terminal/cli.ts'

/** Sizes that Standard Webhooks allows. */
const [MIN_KEY_BYTES, MAX_KEY_BYTES] = [24, 64]

type Flags = { secret?: string; signingUrl?: string }

/** Returns the key of the signing secret: of the option, of standard input, of the environment, or undefined. */
export async function readStandardKey({ secret, signingUrl }: Flags, cli: Cli): Promise<Uint8Array | undefined> {
  if (secret === '-' && signingUrl === '-')
    throw usageError('Only one of --signing-url and --secret can be read from standard input.')
  const typed = secret === '-' ? (await cli.readStdin()).trim() : (secret ?? cli.config.webhookSecret)
  return typed === undefined ? undefined : keyOf(typed)
}

/** Throws for a text that is no secret of Standard Webhooks. The message never contains it. */
function keyOf(secret: string): Uint8Array {
  const text = secret.startsWith(STANDARD_SECRET_PREFIX) ? secret.slice(STANDARD_SECRET_PREFIX.length) : ''
  const key = Buffer.from(text, 'base64')
  if (key.toString('base64') === text && key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES) return key
  const form = `${STANDARD_SECRET_PREFIX} and ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes in base64`
  throw usageError(`The secret must be ${form}, as svc printed it.`)
}
