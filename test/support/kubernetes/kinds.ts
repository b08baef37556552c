import type {
  IPodMonitor,
  IPrometheusRule,
  IServiceMonitor,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import type { IScaledObject, ITriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import type { IJob } from 'kubernetes-models/batch/v1';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { IConfigMap, IPod, ISecret, IService, IServiceAccount } from 'kubernetes-models/v1';
import type { KafkaTopic, KafkaUser } from './strimzi.ts';

/** The types of all objects that a chart may create, by kind. */
export interface Kinds {
  readonly ConfigMap: IConfigMap;
  readonly Deployment: IDeployment;
  readonly HorizontalPodAutoscaler: IHorizontalPodAutoscaler;
  readonly Job: IJob;
  readonly KafkaTopic: KafkaTopic;
  readonly KafkaUser: KafkaUser;
  readonly NetworkPolicy: INetworkPolicy;
  readonly Pod: IPod;
  readonly PodDisruptionBudget: IPodDisruptionBudget;
  readonly PodMonitor: IPodMonitor;
  readonly PrometheusRule: IPrometheusRule;
  readonly ScaledObject: IScaledObject;
  readonly Secret: ISecret;
  readonly Service: IService;
  readonly ServiceAccount: IServiceAccount;
  readonly ServiceMonitor: IServiceMonitor;
  readonly TriggerAuthentication: ITriggerAuthentication;
}

export type Kind = keyof Kinds;
export type Manifest = Kinds[Kind];
