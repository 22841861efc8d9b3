import { makeToken } from '../../model/token-format.ts'
import type { SignInDeps } from '../deps.ts'
import { LINK_RETURN, UNSEALED_RETURN } from '../sealed-return.ts'
import { linkMail } from './link-mail.ts'
import { hasNoMailbox } from './no-mailbox.ts'
import { insertLink, maySignInByLink, writeOrUndo } from './store.ts'

export const LINK_SECONDS = 15 * 60

type Deps = Pick<SignInDeps, 'db' | 'clock' | 'keys' | 'sealer' | 'mails' | 'publicUrls' | 'mailFiles'>
type NewLink = { email: string; browser: string; returnTo: string }

/**
 * Mails a link to the address if it may sign in. Does the same work if not, so that neither the answer nor its time
 * tells which addresses have an account.
 */
export async function mailLink(deps: Deps, { email, browser, returnTo }: NewLink): Promise<void> {
  const { db, clock, keys, sealer, mails, publicUrls, mailFiles } = deps
  const now = clock.now()
  const token = makeToken('mailed_link')
  const hash = keys.hash('mailed_link', token)
  const expires_at = new Date(now.getTime() + LINK_SECONDS * 1000)
  const link = {
    hash,
    epoch: keys.epoch,
    browser_hash: keys.hash('browser', browser),
    email,
    return_to: UNSEALED_RETURN,
    sealed_return_to: sealer.seal(returnTo, LINK_RETURN.context({ hash })),
    expires_at,
  }
  const mail = linkMail({ to: email, token, hash, signInUrl: publicUrls.signIn, expires_at })
  const isReadable = mailFiles !== undefined || !hasNoMailbox(email)
  const isAllowed = await db.tx(async (tx) => {
    const may = (await maySignInByLink(tx, { email, epoch: keys.epoch, now })) && isReadable
    await insertLink(tx, { ...link, now })
    if (!mailFiles) await writeOrUndo(tx, may, () => mails.queue(tx, mail))
    return may
  })
  if (isAllowed) mailFiles?.write(mail)
  else mailFiles?.writeNote(email)
}
