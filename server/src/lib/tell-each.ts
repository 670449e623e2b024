/** Tells each listener by itself. One that fails keeps the news from nobody else, and its failure goes no further than `onFault`. */
export function tellingEach(onFault: (error: unknown) => void): (...tellings: (() => unknown)[]) => void {
  return (...tellings) => {
    for (const telling of tellings) {
      try {
        telling()
      } catch (error) {
        onFault(error)
      }
    }
  }
}
