import { statusOf } from '../../../call/api.ts'
import type { OutputFlags } from '../../../command/command.ts'
import { usageError } from '../../../command/hinted-error.ts'
import type { Cli } from '../../../terminal/cli.ts'
import { Unsuccessful } from '../../../terminal/exit.ts'
import { show } from '../../../terminal/output.ts'
import { DIGESTS } from './digests.ts'
import { sampleId, sampleRequest } from './sample-message.ts'
import { checkWebhookUrl, readSigningUrl } from './signing-url.ts'
import { readStandardKey } from './standard-key.ts'

type Flags = OutputFlags & { signingUrl?: string; secret?: string; id?: string; print?: boolean }
type SampleRequest = ReturnType<typeof sampleRequest>

const NOTIFICATION_ID = /^ntf_[0-7][0-9a-hjkmnp-tv-z]{25}$/
/** A sender of svc waits as long for the answer. */
const ANSWER_TIMEOUT_SECONDS = 15

export async function run([typed]: [string], flags: Flags, cli: Cli): Promise<void> {
  const url = checkWebhookUrl(typed)
  const standardKey = await readStandardKey(flags, cli)
  const otherUrl = await readSigningUrl(flags.signingUrl, cli)
  const id = flags.id ?? sampleId('ntf')
  if (!NOTIFICATION_ID.test(id)) throw usageError(`--id must be an id such as ${sampleId('ntf')}, not ${id}.`)
  const request = sampleRequest({ signingUrl: otherUrl ?? url, standardKey, id, at: new Date() })
  if (flags.print) return printRequest(url, otherUrl, request, flags, cli)
  await sendSample(url, id, request, flags, cli)
}

async function sendSample(url: string, id: string, request: SampleRequest, flags: Flags, cli: Cli): Promise<void> {
  const status = await cli.progress(
    'Sending a sample',
    statusOf(new Request(url, { method: 'POST', ...request }), ANSWER_TIMEOUT_SECONDS),
  )
  const isDelivered = status >= 200 && status < 300
  const text = isDelivered ? 'svc would count it as delivered.' : 'svc would not count it as delivered.'
  show(cli, flags.output, { id, status, delivered: isDelivered }, () => `Sent ${id}. The answer is ${status}: ${text}`)
  if (!isDelivered) throw new Unsuccessful()
}

function printRequest(url: string, otherUrl: string | undefined, request: SampleRequest, flags: Flags, cli: Cli): void {
  const { headers, body } = request
  const document = { method: 'POST', url, headers, body, signature: explain(url, otherUrl, request) }
  show(cli, flags.output, document, () => [
    `POST ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
    '',
    ...Object.values(document.signature),
  ])
}

/** Explains the signature step by step. A signing URL that was read apart from the address is never printed. */
function explain(url: string, otherUrl: string | undefined, { headers }: SampleRequest) {
  const key = Buffer.from(DIGESTS.sha256(url)).toString('hex')
  const name = otherUrl === undefined ? 'the address above, exactly as typed' : 'the signing URL, which is not shown'
  return {
    key: `1. The key is the SHA-256 digest (32 bytes) of ${name}${otherUrl === undefined ? `: ${key} in hex` : ''}.`,
    message: `2. The message is the timestamp, a full stop and the body as sent: ${headers['x-svc-timestamp']}.[{"id":…`,
    signature: `3. The signature is v1= and the HMAC-SHA256 of the message with that key, in lower-case hex.`,
    ...('webhook-id' in headers && { standard: STANDARD_STEP }),
  }
}

const STANDARD_STEP =
  '4. For Standard Webhooks the key is the base64 after whsec_ in the secret, which is not shown. The message is webhook-id, webhook-timestamp and the body, joined by full stops. The signature is v1, and the HMAC-SHA256 in base64.'
