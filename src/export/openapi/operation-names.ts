/** `POST /orders/{id}/place` → `postOrdersByIdPlace`. */
export function operationName(method: string, path: string): string {
  const words = path.replace(/\{([^}]*)\}/g, '-by-$1-').split(/[^\p{L}\p{N}]+/u);
  return method.toLowerCase() + words.map(capital).join('');
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
