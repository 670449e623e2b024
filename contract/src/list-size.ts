/** The most that any answer lists; whoever has more asks for pages. */
export const listSizeMax = 1000
