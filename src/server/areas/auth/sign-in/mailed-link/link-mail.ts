import type { SystemMail } from '#ports/system-mail.ts'

type MailedLink = { to: string; token: string; hash: Buffer; signInUrl: string; expires_at: Date }

/** The link begins with the configured address of this installation, never with the `Host` of a request. */
export function linkMail({ to, token, hash, signInUrl, expires_at }: MailedLink): SystemMail {
  const { host } = new URL(signInUrl)
  return {
    key: `mailed-link:${hash.toString('hex', 0, 8)}`,
    org_id: null,
    to,
    subject: `Sign in to ${host}`,
    paragraphs: [
      `Somebody asked to sign in to ${host} with the address ${to}.`,
      'If it was you, open the link in the same browser within 15 minutes. It works once.',
      'If it was not you, ignore this mail. In another browser the link signs nobody in.',
    ],
    action: { label: 'Sign in', link: new URL(`/auth/mailed-link/${token}`, signInUrl).href },
    expires_at,
    isSecret: true,
  }
}
