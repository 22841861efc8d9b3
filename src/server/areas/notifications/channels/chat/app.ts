/** The operator's app at the chat service, by which organizations install it and people link their accounts. */
export type ChatApp = { readonly clientId: string; readonly clientSecret: string }
