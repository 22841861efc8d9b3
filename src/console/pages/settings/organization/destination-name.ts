type Destination = { readonly kind: string; readonly label: string | null }

/** Names where notifications go. Channels have a label; what goes to one person has none. */
export function destinationName({ kind, label }: Destination): string {
  if (label !== null) return label
  return kind === 'chat_dm' ? 'Direct message' : 'Mail to one person'
}
