import { Component, type ComponentType, h, type VNode } from 'preact';

/** A component that is drawn again only when one of its properties is another. */
export function memo<P extends object>(Inner: ComponentType<P>): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const names = new Set([...Object.keys(this.props), ...Object.keys(next)]) as Set<keyof P>;
      return [...names].some((name) => this.props[name] !== next[name]);
    }

    override render(): VNode {
      return h(Inner as ComponentType<object>, this.props);
    }
  };
}
