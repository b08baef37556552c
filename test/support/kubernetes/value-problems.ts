import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import {
  PodMonitor,
  PrometheusRule,
  ServiceMonitor,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Pod, Secret, Service, ServiceAccount } from 'kubernetes-models/v1';
import type { Kind, Kinds, Manifest } from './kinds.ts';

type Model<K extends Kind> = new (data: Omit<Kinds[K], 'apiVersion' | 'kind'>) => { readonly validate: () => void };

/** The models with their schemas. Objects of Strimzi have none: their types and the tests of topics check them. */
const models: { readonly [K in Exclude<Kind, 'KafkaTopic' | 'KafkaUser'>]: Model<K> } = {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  NetworkPolicy,
  Pod,
  PodDisruptionBudget,
  PodMonitor,
  PrometheusRule,
  ScaledObject,
  Secret,
  Service,
  ServiceAccount,
  ServiceMonitor,
  TriggerAuthentication,
};

/** Checks an object against the schemas of Kubernetes and of the operators: patterns, bounds, required fields. */
export function valueProblems(manifest: Manifest): readonly string[] {
  if (manifest.kind === 'KafkaTopic' || manifest.kind === 'KafkaUser') return [];
  return problemsOf(manifest.kind, manifest);
}

function problemsOf<K extends keyof typeof models>(kind: K, manifest: Kinds[K]): readonly string[] {
  try {
    new models[kind](manifest).validate();
    return [];
  } catch (error) {
    return [String(error)];
  }
}
