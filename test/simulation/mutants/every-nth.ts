/** Returns a function that returns true in each nth call. */
export function everyNth(nth: number): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count % nth === 0;
  };
}
