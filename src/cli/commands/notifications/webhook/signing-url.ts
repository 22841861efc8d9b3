import { usageError } from '../../../command/hinted-error.ts'
import type { Cli } from '../../../terminal/cli.ts'

/** Returns the URL that the key is made from: of the option, of standard input, of the environment, or undefined. */
export async function readSigningUrl(option: string | undefined, cli: Cli): Promise<string | undefined> {
  const typed = option === '-' ? (await cli.readStdin()).replace(/\r?\n$/, '') : (option ?? cli.config.webhookUrl)
  return typed === undefined ? undefined : checkWebhookUrl(typed)
}

/** Throws for a URL that no webhook can have. The messages never contain the URL, because it is secret. */
export function checkWebhookUrl(text: string): string {
  // The signing key is made from the URL as it was typed: a blank that nobody sees would change the key.
  if (/[\s\p{C}]/u.test(text)) throw usageError('The URL contains a blank or an invisible character. Remove it.')
  const protocol = URL.parse(text)?.protocol
  if (protocol === 'http:' || protocol === 'https:') return text
  throw usageError('The URL must begin with http:// or https:// and name a host.')
}
