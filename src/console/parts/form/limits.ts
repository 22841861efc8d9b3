/** Limits of a field of an operation's input, as attributes of HTML. */
export type Limits = { readonly maxLength?: number; readonly min?: number; readonly max?: number }

/** Limits by the name of the operation and the path of the field. The build fills them in from the contract. */
export const LIMITS: Readonly<Record<string, Readonly<Record<string, Limits>>>> = {}
