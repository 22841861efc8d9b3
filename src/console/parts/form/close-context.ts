import { createContext, useContext } from 'react'

/** Closes the dialog that was opened. Undefined outside of dialogs, and in one that the person cannot close. */
export const CloseContext = createContext<(() => void) | undefined>(undefined)

export function useClose(): (() => void) | undefined {
  return useContext(CloseContext)
}
