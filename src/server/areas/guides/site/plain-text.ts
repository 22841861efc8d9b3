import type { Token, Tokens } from 'marked'

/** Returns the text of a token without its markup, for the search. */
export function plainText(token: Token): string {
  if (token.type === 'table') return tableText(token as Tokens.Table)
  if (token.type === 'list') return (token as Tokens.List).items.map(plainText).join(' ')
  if ('tokens' in token && token.tokens !== undefined)
    return token.tokens.map(plainText).join(isInline(token) ? '' : ' ')
  return 'text' in token && typeof token.text === 'string' ? token.text : ' '
}

function isInline({ type }: Token): boolean {
  return type !== 'list_item' && type !== 'blockquote'
}

function tableText({ header, rows }: Tokens.Table): string {
  const cells = [header, ...rows].flat()
  return cells.map(({ tokens }) => tokens.map(plainText).join('')).join(' ')
}
