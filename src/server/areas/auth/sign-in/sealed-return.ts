import type { SealedColumn } from '#lib/crypto/sealed-columns.ts'

/** Written in place of the address, for a process of the former release, which does not read the sealed one. */
export const UNSEALED_RETURN = '/'

export const FLOW_RETURN: SealedColumn<{ state_hash: Buffer }> = {
  kind: 'pages that sign-ins under way return to',
  table: ['auth', 'sign_in_flows'],
  column: 'sealed_return_to',
  primaryKey: ['state_hash'],
  context: ({ state_hash }) => `sign-in-return:${state_hash.toString('hex')}`,
}

export const LINK_RETURN: SealedColumn<{ hash: Buffer }> = {
  kind: 'pages that mailed sign-in links return to',
  table: ['auth', 'mailed_links'],
  column: 'sealed_return_to',
  primaryKey: ['hash'],
  context: ({ hash }) => `mailed-link-return:${hash.toString('hex')}`,
}
