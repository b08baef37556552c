/** Minimal definitions of Strimzi's custom resources. Other tests check the objects by their types. */
export const strimziDefinitions = {
  apiVersion: 'v1',
  kind: 'List',
  items: ['KafkaTopic', 'KafkaUser'].map((kind) => {
    const [singular, plural] = [kind.toLowerCase(), `${kind.toLowerCase()}s`];
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.kafka.strimzi.io` },
      spec: {
        group: 'kafka.strimzi.io',
        scope: 'Namespaced',
        names: { kind, singular, plural },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    };
  }),
};
