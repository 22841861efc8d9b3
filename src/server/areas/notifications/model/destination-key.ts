import type { ChannelKind } from '#contract/notifications/channels.ts'

type OfOrganization = { readonly org_id: string }

/** Returns the key of the destination that a channel is. Channels with one email address are one destination. */
export function destinationOf(
  org: OfOrganization,
  { kind, channel_id, address }: { kind: ChannelKind; channel_id: string; address: string | null },
): string {
  return kind === 'email' ? mailKey(org, address ?? '') : `${kind}:${channel_id}`
}

/** Addresses are compared without regard to case, so that one mailbox gets one mail. */
export function mailKey({ org_id }: OfOrganization, address: string): string {
  return `email:${org_id}:${address.toLowerCase()}`
}
